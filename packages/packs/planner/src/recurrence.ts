import type { TimeRange } from "@toolpacks/core";
import { RRuleTemporal } from "rrule-temporal";
import { Temporal } from "temporal-polyfill";
import { checkParts, recurrenceText } from "./recurrence-parts.ts";

/** A series of times, or of dates. */
export interface Series {
  /** The first time: an ISO 8601 time, or a date. */
  readonly start: string;
  /** RRULE of RFC 5545. */
  readonly repeat: string;
}

/** Maximum number of periods that are searched: at least 50 years, which is longer than every gap in the calendar. */
const maxPeriods: Readonly<Record<string, number>> = { DAILY: 20_000, WEEKLY: 8_000, MONTHLY: 2_000, YEARLY: 150 };

/** Maximum number of times of a series that one range looks at. */
const maxSteps = 1_000;

/**
 * Validates a series.
 *
 * @returns the problem; undefined if the series is valid and has a time after `after`
 */
export function checkRecurrence(series: Series, after: string): string | undefined {
  const problem = checkParts(series.repeat, isDate(series.start));
  if (problem !== undefined) return problem;
  const repeat = recurrenceText(series.repeat)
    .split(";")
    .filter((part) => !/^(COUNT|UNTIL)=/.test(part))
    .join(";");
  if (nextOccurrence({ ...series, repeat }, after) !== undefined) return undefined;
  return "nothing in the next 50 years is a time of it";
}

/** Finds the first time of a series after a time; undefined if the series has ended, or has no time for decades. */
export function nextOccurrence({ start, repeat }: Series, after: string): string | undefined {
  const rruleString = recurrenceText(repeat);
  const [, frequency = ""] = /FREQ=(\w+)/.exec(rruleString) ?? [];
  const dtstart = Temporal.Instant.fromEpochMilliseconds(Date.parse(start)).toZonedDateTimeISO("UTC");
  const maxIterations = maxPeriods[frequency] ?? 0;
  const rule = new RRuleTemporal({ rruleString, dtstart, temporal: Temporal, maxIterations });
  try {
    const found = rule.next(new Date(after));
    const time = found === null ? undefined : new Date(found.epochMilliseconds).toISOString();
    return isDate(start) ? time?.slice(0, "2027-01-31".length) : time;
  } catch (error) {
    // A search that finds nothing within its limit ends with an error of the library.
    if (error instanceof Error && error.message.startsWith("Maximum iterations")) return undefined;
    throw error;
  }
}

/** Finds the times of a series from its due time on that are in a range with an end, earliest first, at most `max`. */
export function occurrencesIn(
  { due, series }: { readonly due: string; readonly series: Series },
  range: TimeRange,
  max: number,
): readonly string[] {
  const found: string[] = [];
  const isBeforeEnd = (time: string) => time < (range.lt ?? "\uffff") && time <= (range.lte ?? "\uffff");
  const isAfterStart = (time: string) => time >= (range.gte ?? "") && (range.gt === undefined || time > range.gt);
  const start = justBefore(range.gte ?? range.gt ?? "");
  let time: string | undefined = due;
  for (let steps = 0; steps < maxSteps && time !== undefined && isBeforeEnd(time); steps += 1) {
    if (isAfterStart(time)) found.push(time);
    if (found.length === max) break;
    // A series that began long ago has many times before the range.
    time = nextOccurrence(series, start !== undefined && start > time ? start : time);
  }
  return found;
}

/** The last time before a time or date. Undefined if it is neither. */
function justBefore(text: string): string | undefined {
  const time = new Date(text).getTime();
  return Number.isNaN(time) ? undefined : new Date(time - 1).toISOString();
}

function isDate(time: string): boolean {
  return !time.includes("T");
}
