import { ToolError } from "@toolpacks/core";
import { RRuleTemporal } from "rrule-temporal";
import { Temporal } from "temporal-polyfill";
import type { TriggerSource } from "../definition/workflow-source.ts";

/** An RRULE of RFC 5545, the IANA name of its time zone, and its first time, as local time of the zone. */
type Schedule = Pick<TriggerSource, "zone" | "start"> & { readonly at: string };

/**
 * The first time of a schedule after a time, as ISO 8601 in UTC. Undefined: there is none.
 *
 * @throws ToolError `invalid_input` for a schedule that is none
 */
export function nextTime(
  { at, zone = "UTC", start = "2026-01-01T00:00:00" }: Schedule,
  after: string,
): string | undefined {
  const dtstart = Temporal.PlainDateTime.from(start).toZonedDateTime(zone);
  const rule = new RRuleTemporal({ rruleString: at.trim().replace(/^RRULE:/i, ""), dtstart, temporal: Temporal });
  try {
    const next = rule.next(new Date(after));
    return next === null ? undefined : new Date(next.epochMilliseconds).toISOString();
  } catch (error) {
    // A search that finds nothing, such as for the 30th of February, ends with an error of the library.
    if (error instanceof Error && error.message.startsWith("Maximum iterations")) return undefined;
    throw error;
  }
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
