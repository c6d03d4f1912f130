/** What no reader sees and a model reads all the same: control characters but for line feed and tab, and whatever has no shape. */
const unseen = /(?![\n\t])\p{Cc}|[\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const otherLineBreaks = /\r\n|[\u0085\u2028\u2029]/g;

/** No description of a real tool comes near it. */
const longest = 10_000;

/** Another server's text without its unseen characters, cut where it is endless. */
export function cleanText(text: string): string {
  const seen = text.replaceAll(otherLineBreaks, "\n").replaceAll(unseen, "");
  return seen.length > longest ? `${seen.slice(0, longest)}…` : seen;
}

/** The same as a single line: no text of a server looks like a line of ours. */
export function singleLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** The same for every text in a value, names of fields too. */
export function cleanTexts<Value>(value: Value): Value {
  return clean(value) as Value;
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanText(name), clean(inner)]));
}

/** A schema whose descriptions and titles are clean, and whose names and values are as the server wrote them. */
export function cleanDescriptions(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return describedCleanly(schema) as Readonly<Record<string, unknown>>;
}

function describedCleanly(value: unknown, field?: string): unknown {
  if (typeof value === "string") return field === "description" || field === "title" ? cleanText(value) : value;
  if (Array.isArray(value)) return value.map((inner) => describedCleanly(inner));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, describedCleanly(inner, name)]));
}
