import { isObject } from "@toolpacks/core";

/** Characters that are invisible to a reader but not to a model: control characters except line feed and tab, and format characters. */
const unseen = /(?![\n\t])\p{Cc}|[\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const otherLineBreaks = /\r\n|[\u0085\u2028\u2029]/g;

const maxLength = 10_000;

/** Another server's text without invisible characters, cut to the maximum length. */
export function cleanText(text: string): string {
  const seen = text.replaceAll(otherLineBreaks, "\n").replaceAll(unseen, "");
  return seen.length > maxLength ? `${seen.slice(0, maxLength)}…` : seen;
}

/** The clean text as a single line, so that it cannot imitate lines of ours. */
export function singleLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** Cleans every text in a value, including field names. */
export function cleanTexts<Value>(value: Value): Value;
export function cleanTexts(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map((inner: unknown) => cleanTexts(inner));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanText(name), cleanTexts(inner)]));
}

/** Cleans only the descriptions and titles of a schema. Names and values stay as the server wrote them. */
export function cleanDescriptions<Value>(schema: Value, field?: string): Value;
export function cleanDescriptions(value: unknown, field?: string): unknown {
  if (typeof value === "string") return field === "description" || field === "title" ? cleanText(value) : value;
  if (Array.isArray(value)) return value.map((inner: unknown) => cleanDescriptions(inner));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cleanDescriptions(inner, name)]));
}
