import * as loaded from "rrule";

// Node loads its CommonJS form, which has all under `default`; a bundler takes the other one, which has names.
const { RRule } = (Reflect.get(loaded, "default") ?? loaded) as typeof loaded;

/** Finer ones are no reminders, and an impossible one of them would be searched for through all its seconds. */
const frequencies: ReadonlySet<number> = new Set([RRule.YEARLY, RRule.MONTHLY, RRule.WEEKLY, RRule.DAILY]);

/** What is wrong with a recurrence; nothing when it is sound. */
export function checkRecurrence(repeat: string): string | undefined {
  try {
    const { freq, interval = 1 } = RRule.parseString(repeat);
    if (freq === undefined || !frequencies.has(freq)) return "expected FREQ=DAILY, WEEKLY, MONTHLY or YEARLY";
    if (!Number.isInteger(interval) || interval < 1 || interval > 1_000) return "expected an INTERVAL from 1 to 1000";
    new RRule(RRule.parseString(repeat)).toString();
    return undefined;
  } catch (error) {
    return `expected an RRULE of RFC 5545 (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** The first time of a series after a moment, in the form of its start; undefined when it has ended. */
export function nextOccurrence(
  { start, repeat }: { readonly start: string; readonly repeat: string },
  after: string,
): string | undefined {
  const { dtstart: _ignored, ...options } = RRule.parseString(repeat);
  const series = new RRule({ ...options, dtstart: new Date(start) });
  const next = series.after(new Date(after));
  if (next === null) return undefined;
  const time = next.toISOString();
  return start.includes("T") ? time : time.slice(0, "2027-01-31".length);
}
