/** What one part of a recurrence may say. */
interface Part {
  readonly expected: string;
  readonly accepts: (value: string) => boolean;
  /** The frequencies that it goes with; every one when absent. */
  readonly frequencies?: readonly string[];
}

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/**
 * The parts of RFC 5545 that a reminder's recurrence may have, and what they may say. It has one time a day at most, that of its start
 * unless BYHOUR, BYMINUTE or BYSECOND name another; its start and zone (DTSTART, TZID) are not its own to say.
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

/** A recurrence as it is understood: upper case, without the name of its property. */
export function recurrenceText(repeat: string): string {
  return repeat
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "");
}

/**
 * What is wrong with the parts of a recurrence; nothing when each may stand as it does.
 *
 * @param ofDates whether it is one of dates, which have no time of day
 */
export function checkParts(repeat: string, ofDates: boolean): string | undefined {
  const given = recurrenceText(repeat)
    .split(";")
    .map((part) => splitOnce(part));
  const named = new Map(given);
  const frequency = named.get("FREQ") ?? "";
  for (const [name, value] of given) {
    const problem = checkPart(name, value, frequency);
    if (problem !== undefined) return problem;
    if (ofDates && timeParts.has(name)) return `${name} names a time of day, and due is a date`;
  }
  if (named.size < given.length) return "the same part stands in it twice";
  if (!named.has("FREQ")) return `FREQ is missing: expected ${parts["FREQ"]?.expected}`;
  return undefined;
}

function checkPart(name: string, value: string, frequency: string): string | undefined {
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part === undefined) {
    return `${JSON.stringify(name.slice(0, 40))} is no part of a reminder's recurrence; there are ${Object.keys(parts).join(", ")}`;
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

function number(least: number, most: number): Part {
  const accepts = (value: string) => /^\d{1,5}$/.test(value) && Number(value) >= least && Number(value) <= most;
  return { expected: `one number from ${least} to ${most}`, accepts };
}

/** Several, separated by commas; counted from the end when they are negative, if that is meant to be. */
function numbers(least: number, most: number, fromEnd?: "from the end"): Part {
  const one = number(least, most);
  const sign = fromEnd === undefined ? /^\+/ : /^[+-]/;
  return {
    expected: `numbers from ${least} to ${most}${fromEnd === undefined ? "" : `, or -${least} to -${most} ${fromEnd}`}`,
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
