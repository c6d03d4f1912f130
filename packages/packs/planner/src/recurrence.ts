import * as loaded from "rrule";
import { checkParts, recurrenceText } from "./recurrence-parts.ts";

// Node loads its CommonJS form, which has all under `default`; a bundler takes the other one, which has names.
const { RRule } = (Reflect.get(loaded, "default") ?? loaded) as typeof loaded;

/** Times that follow one another, all in the form of the first. */
export interface Series {
  /** An ISO 8601 time, or a date. */
  readonly start: string;
  /** RRULE of RFC 5545. */
  readonly repeat: string;
}

/** A series is looked through for so long from now on, which is past every gap that the calendar makes. */
const maxYears = 50;

/** One with a COUNT is looked through from its start, for so long. */
const maxCountedYears = 150;

const periodsPerYear = new Map([
  [RRule.YEARLY, 1],
  [RRule.MONTHLY, 12],
  [RRule.WEEKLY, 53],
  [RRule.DAILY, 366],
]);

const dayMs = 86_400_000;

/** What is wrong with a series, as of a moment; nothing when it is sound. */
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

/** The first time of a series after a moment; undefined when it has ended, or has none for decades. */
export function nextOccurrence({ start, repeat }: Series, after: string): string | undefined {
  const { dtstart: _start, tzid: _zone, ...options } = RRule.parseString(recurrenceText(repeat));
  const series = new RRule({ ...options, dtstart: new Date(start) });
  const isCounted = typeof options.count === "number";
  if (!isCounted) series.options.dtstart = shortlyBefore(new Date(after), series);
  bound(series, isCounted ? maxCountedYears : maxYears);
  const time = series.after(new Date(after))?.toISOString();
  return isDate(start) ? time?.slice(0, "2027-01-31".length) : time;
}

/** When the search may begin: a time that periods are counted from, at least one of them before the moment. */
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
 * Ends the search of a series after some years. rrule goes on until the year 9999 wherever nothing fits, which takes seconds; it asks for
 * the interval twice a period, and stops where that is 0.
 */
function bound({ options }: loaded.RRule, years: number): void {
  const { freq, interval } = options;
  const perYear = periodsPerYear.get(freq) ?? 366;
  // Two periods before the moment, where the search begins, and one after it at least.
  let left = 2 * (Math.ceil((years * perYear) / interval) + 3);
  Object.defineProperty(options, "interval", { get: () => ((left -= 1) < 0 ? 0 : interval) });
}

function monthOf(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

function isDate(time: string): boolean {
  return !time.includes("T");
}
