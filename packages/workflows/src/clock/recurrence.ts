import { ToolError } from "@toolpacks/core";
import { RRuleTemporal } from "rrule-temporal";
import { Temporal } from "temporal-polyfill";

/** Times of a schedule. */
export interface Schedule {
  /** RRULE of RFC 5545. */
  readonly at: string;
  /** IANA name of the time zone. Default `UTC`. */
  readonly zone?: string | undefined;
  /** The first time, as local time of the zone. Default: the beginning of 2026. */
  readonly start?: string | undefined;
}

const defaultStart = "2026-01-01T00:00:00";

/**
 * The first time of a schedule after a time, as ISO 8601 in UTC. Undefined: there is none.
 *
 * @throws ToolError `invalid_input` for a schedule that is none
 */
export function nextTime({ at, zone = "UTC", start = defaultStart }: Schedule, after: string): string | undefined {
  const next = openRule(at, Temporal.PlainDateTime.from(start).toZonedDateTime(zone));
  const found = withoutSearchLimit(() => next(new Date(after)));
  return found === undefined ? undefined : new Date(found).toISOString();
}

/** @throws ToolError `invalid_input` that says what is wrong */
export function checkSchedule(schedule: Schedule): void {
  try {
    if (/(?:^|;)\s*FREQ\s*=\s*SECONDLY/i.test(schedule.at)) throw new RangeError("expected at most one time a minute");
    if (nextTime(schedule, new Date(0).toISOString()) !== undefined) return;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = `expected an RRULE such as FREQ=DAILY;BYHOUR=9, received ${JSON.stringify(schedule.at.slice(0, 200))}`;
    throw new ToolError("invalid_input", `${message}: ${error.message}`);
  }
  throw new ToolError("invalid_input", "the schedule has no time");
}

function openRule(at: string, dtstart: Temporal.ZonedDateTime): (after: Date) => number | undefined {
  const rule = new RRuleTemporal({ rruleString: at.trim().replace(/^RRULE:/i, ""), dtstart, temporal: Temporal });
  return (after) => rule.next(after)?.epochMilliseconds;
}

/** A rule whose search finds nothing, such as the 30th of February, ends with an error of the library. */
function withoutSearchLimit<T>(search: () => T): T | undefined {
  try {
    return search();
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("Maximum iterations")) return undefined;
    throw error;
  }
}
