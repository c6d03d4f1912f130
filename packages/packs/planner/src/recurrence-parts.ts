/** The rule for one part of a recurrence. */
interface Part {
  readonly expected: string;
  readonly accepts: (value: string) => boolean;
  /** The frequencies that allow this part. Default: all. */
  readonly frequencies?: readonly string[];
}

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/**
 * The parts of RFC 5545 that a reminder's recurrence may have. A recurrence has at most one time a day: the time of its start, unless BYHOUR,
 * BYMINUTE or BYSECOND set another. DTSTART and TZID are not allowed, because the start is a field of the reminder.
 */
const parts: Readonly<Record<string, Part>> = {
  FREQ: oneOf("DAILY", "WEEKLY", "MONTHLY", "YEARLY"),
  INTERVAL: number(1, 1_000),
  COUNT: number(1, 10_000),
  UNTIL: { expected: "20271231 or 20271231T090000Z", accepts: isMoment },
  WKST: oneOf(...weekdays),
  BYMONTH: numbers(1, 12),
  BYWEEKNO: { ...numbers(1, 53, "from the end"), frequencies: ["YEARLY"] },
  BYYEARDAY: { ...numbers(1, 366, "from the end"), frequencies: ["YEARLY"] },
  BYMONTHDAY: { ...numbers(1, 31, "from the end"), frequencies: ["DAILY", "MONTHLY", "YEARLY"] },
  BYDAY: {
    expected: `${weekdays.join(", ")}, with MONTHLY and YEARLY also 1MO or -1FR`,
    accepts: (value) =>
      value.split(",").every((day) => /^([+-]?([1-9]|[1-4]\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)$/.test(day)),
  },
  BYSETPOS: { ...numbers(1, 366, "from the end"), frequencies: ["WEEKLY", "MONTHLY", "YEARLY"] },
  BYHOUR: number(0, 23),
  BYMINUTE: number(0, 59),
  BYSECOND: number(0, 59),
};

const timeParts: ReadonlySet<string> = new Set(["BYHOUR", "BYMINUTE", "BYSECOND"]);

/** Normalizes a recurrence: upper case, without the prefix `RRULE:`. A frequency alone, such as `weekly`, becomes `FREQ=WEEKLY`. */
export function recurrenceText(repeat: string): string {
  return repeat
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "")
    .replace(/^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/, "FREQ=$&");
}

/**
 * Validates the parts of a recurrence.
 *
 * @param ofDates whether the recurrence is of dates, without a time of day
 * @returns the problem; undefined if the parts are valid
 */
export function checkParts(repeat: string, ofDates: boolean): string | undefined {
  if (!recurrenceText(repeat).includes("=")) return `received ${JSON.stringify(repeat.slice(0, 80))}`;
  const entries = recurrenceText(repeat)
    .split(";")
    .map((part) => splitOnce(part));
  const named = new Map(entries);
  const frequency = named.get("FREQ") ?? "";
  for (const [name, value] of entries) {
    const problem = checkPart(name, value, frequency);
    if (problem !== undefined) return problem;
    if (ofDates && timeParts.has(name)) return `${name} names a time of day, and due is a date`;
  }
  if (named.size < entries.length) return "the same part stands in it twice";
  if (!named.has("FREQ")) return `FREQ is missing: expected ${parts["FREQ"]?.expected}`;
  return undefined;
}

function checkPart(name: string, value: string, frequency: string): string | undefined {
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part === undefined) {
    return `${JSON.stringify(name.slice(0, 40))} is not a part of a reminder's recurrence (accepted: ${Object.keys(parts).join(", ")})`;
  }
  if (!part.accepts(value)) return `${name}: expected ${part.expected}, received ${JSON.stringify(value.slice(0, 80))}`;
  const isOrdinal = name === "BYDAY" && /\d/.test(value);
  const frequencies = isOrdinal ? ["MONTHLY", "YEARLY"] : part.frequencies;
  if (frequencies === undefined || frequencies.includes(frequency)) return undefined;
  return `${name}=${value.slice(0, 80)} goes with FREQ=${frequencies.join(", ")}`;
}

function splitOnce(part: string): readonly [name: string, value: string] {
  const at = part.indexOf("=");
  return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
}

function oneOf(...words: readonly string[]): Part {
  return { expected: words.join(", "), accepts: (value) => words.includes(value) };
}

function number(min: number, max: number): Part {
  const accepts = (value: string) => /^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max;
  return { expected: `one number from ${min} to ${max}`, accepts };
}

/** Several numbers, separated by commas. With `fromEnd`, negative numbers count from the end. */
function numbers(min: number, max: number, fromEnd?: "from the end"): Part {
  const one = number(min, max);
  const sign = fromEnd === undefined ? /^\+/ : /^[+-]/;
  return {
    expected: `numbers from ${min} to ${max}${fromEnd === undefined ? "" : `, or -${min} to -${max} ${fromEnd}`}`,
    accepts: (value) => value.split(",").every((item) => one.accepts(item.replace(sign, ""))),
  };
}

function isMoment(value: string): boolean {
  const [, date, time = "000000"] = /^(\d{8})(?:T(\d{6})Z?)?$/.exec(value) ?? [];
  if (date === undefined) return false;
  const iso = `${date}T${time}`.replace(/(....)(..)(..)T(..)(..)(..)/, "$1-$2-$3T$4:$5:$6.000Z");
  const moment = new Date(iso);
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === iso;
}
