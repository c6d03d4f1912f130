import type { TimeRange } from "@toolpacks/core";
import * as loaded from "rrule";
import { checkParts, recurrenceText } from "./recurrence-parts.ts";

// Node loads rrule's CommonJS form, which has its exports under `default`. A bundler loads the ES module, which has named exports.
const { RRule } = (Reflect.get(loaded, "default") ?? loaded) as typeof loaded;

/** A series of times, or of dates. */
export interface Series {
  /** The first time: an ISO 8601 time, or a date. */
  readonly start: string;
  /** RRULE of RFC 5545. */
  readonly repeat: string;
}

/** How many years from now a series is searched. It is longer than every gap in the calendar. */
const maxYears = 50;

/** How many years from its start a series with a COUNT is searched. */
const maxCountedYears = 150;

const periodsPerYear = new Map([
  [RRule.YEARLY, 1],
  [RRule.MONTHLY, 12],
  [RRule.WEEKLY, 53],
  [RRule.DAILY, 366],
]);

/** Maximum number of times of a series that one range looks at. */
const maxSteps = 1_000;

const dayMs = 86_400_000;

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
  return `nothing in the next ${maxYears} years is a time of it`;
}

/** Finds the first time of a series after a time; undefined if the series has ended, or has no time for decades. */
export function nextOccurrence({ start, repeat }: Series, after: string): string | undefined {
  const { dtstart: _start, tzid: _zone, ...options } = RRule.parseString(recurrenceText(repeat));
  const series = new RRule({ ...options, dtstart: new Date(start) });
  const isCounted = typeof options.count === "number";
  if (!isCounted) series.options.dtstart = shortlyBefore(new Date(after), series);
  limitSearch(series, isCounted ? maxCountedYears : maxYears);
  const time = series.after(new Date(after))?.toISOString();
  return isDate(start) ? time?.slice(0, "2027-01-31".length) : time;
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

/** The start of the search: the beginning of a period of the series, at least one period before the time. */
function shortlyBefore(moment: Date, { options: { dtstart: start, freq, interval } }: loaded.RRule): Date {
  if (freq === RRule.DAILY || freq === RRule.WEEKLY) {
    const period = dayMs * interval * (freq === RRule.DAILY ? 1 : 7);
    const skipped = Math.floor((moment.getTime() - start.getTime()) / period) - 1;
    return skipped <= 0 ? start : new Date(start.getTime() + skipped * period);
  }
  const period = interval * (freq === RRule.MONTHLY ? 1 : 12);
  const skipped = Math.floor((monthOf(moment) - monthOf(start)) / period) - 1;
  if (skipped <= 0) return start;
  const month = monthOf(start) + skipped * period;
  return new Date(Date.UTC(Math.floor(month / 12), freq === RRule.MONTHLY ? month % 12 : 0, 1));
}

/**
 * Limits the search of a series to some years. Without it, rrule searches until the year 9999 if nothing matches, which takes seconds. rrule reads the
 * interval twice in each period, and stops when it is 0.
 */
function limitSearch({ options }: loaded.RRule, years: number): void {
  const { freq, interval } = options;
  const perYear = periodsPerYear.get(freq) ?? 366;
  // Up to two periods before the time, and at least one after it.
  let left = 2 * (Math.ceil((years * perYear) / interval) + 3);
  Object.defineProperty(options, "interval", { get: () => ((left -= 1) < 0 ? 0 : interval) });
}

function monthOf(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

function isDate(time: string): boolean {
  return !time.includes("T");
}
