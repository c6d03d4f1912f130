const monthNames = "january february march april may june july august september october november december".split(" ");
const month = monthNames.map((name) => `${name}|${name.slice(0, 3)}`).join("|");
/** A month beside a day or a year. Alone, only capitalized months count, because "may" and "march" are verbs. */
const dayMonth = new RegExp(
  String.raw`\b(?:(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+)?(${month})\b\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?`,
  "gi",
);
const isoDate = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/g;
const year = /\b(?:19|20)\d\d\b/g;

/** The parts of the dates that a question names: `2023`, `-05`, `-05-08`. A time matches if it contains the part. */
export function datesOf(question: string): ReadonlySet<string> {
  const dates = new Set<string>(question.match(year));
  for (const [, , ofYear = "", ofDay] of question.matchAll(isoDate)) dates.add(datePart(ofYear, ofDay));
  for (const [found, before, name = "", after] of question.matchAll(dayMonth)) {
    const day = before ?? after;
    const isName = day !== undefined || /^[A-Z]/.test(found);
    const place = monthNames.findIndex((each) => each.startsWith(name.slice(0, 3).toLowerCase()));
    if (isName) dates.add(datePart(String(place + 1), day));
  }
  return dates;
}

function datePart(ofMonth: string, day: string | undefined): string {
  const twoDigits = (part: string) => part.padStart(2, "0");
  return day === undefined ? `-${twoDigits(ofMonth)}-` : `-${twoDigits(ofMonth)}-${twoDigits(day)}T`;
}
