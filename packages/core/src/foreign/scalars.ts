import { isObject } from "../is-object.ts";
import type { Evaluation, KeywordCheck, SchemaObject } from "./evaluation.ts";
import { formats } from "./formats.ts";

const maxShownValues = 10;
const maxShownCharacters = 60;

/** Checks `type`, `enum`, `const` and the keywords of strings and numbers. False where the type is wrong, so that nothing else need be said. */
export function checkScalars(evaluation: Evaluation, check: KeywordCheck): boolean {
  const { schema, place, found } = check;
  const { value } = place;
  const types = [schema["type"]].flat().filter((type) => typeof type === "string");
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    found.add(place, `expected ${types.slice(0, maxShownValues).join(" or ")}, received ${typeOf(value)}`);
    return false;
  }
  checkValues(evaluation, check);
  if (typeof value === "string") checkString(evaluation, check, value);
  else if (typeof value === "number") checkNumber(check, value);
  return true;
}

/** The type's name in JSON Schema. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** A text that two values share exactly where JSON holds them equal. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function isOfType(value: unknown, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type;
}

function checkValues(evaluation: Evaluation, { schema, place, found }: KeywordCheck): void {
  const values = schema["enum"];
  const hasConst = Object.hasOwn(schema, "const");
  if (!Array.isArray(values) && !hasConst) return;
  const text = canonicalText(place.value);
  evaluation.spend(1 + Math.ceil(text.length / 1_000));
  if (hasConst && text !== canonicalText(schema["const"])) found.add(place, `expected ${shown(schema["const"])}`);
  if (!Array.isArray(values)) return;
  let texts = evaluation.enums.get(values);
  if (texts === undefined) {
    evaluation.spend(values.length);
    texts = new Set(values.map(canonicalText));
    evaluation.enums.set(values, texts);
  }
  if (texts.has(text)) return;
  const more = values.length > maxShownValues ? ", …" : "";
  found.add(place, `expected one of ${values.slice(0, maxShownValues).map(shown).join(", ")}${more}`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;
}

function checkString(evaluation: Evaluation, { schema, place, found }: KeywordCheck, text: string): void {
  const { pattern, format } = schema;
  const [min, max] = [limit(schema, "minLength"), limit(schema, "maxLength")];
  if (min !== undefined && !hasLength(evaluation, text, min)) {
    found.add(place, `expected at least ${counted(min, "character")}`);
  }
  if (max !== undefined && hasLength(evaluation, text, Math.floor(max) + 1)) {
    found.add(place, `expected at most ${counted(max, "character")}`);
  }
  if (typeof pattern === "string" && !evaluation.matches(pattern, text)) {
    found.add(place, `expected text that matches ${pattern}`);
  }
  const isFormat = typeof format === "string" ? formats.get(format) : undefined;
  if (isFormat?.(text) === false) found.add(place, `expected ${String(format)}`);
}

/** Whether a text has at least so many code points: at most as many as it has units, and at least half. Between these they are counted. */
function hasLength(evaluation: Evaluation, text: string, min: number): boolean {
  if (text.length < min) return false;
  if (text.length / 2 >= min) return true;
  evaluation.spend(1 + Math.ceil(text.length / 1_000));
  return codePoints(text) >= min;
}

function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

function checkNumber({ schema, place, found }: KeywordCheck, value: number): void {
  const bounds = [
    ["minimum", "at least", (bound: number) => value >= bound],
    ["maximum", "at most", (bound: number) => value <= bound],
    ["exclusiveMinimum", "more than", (bound: number) => value > bound],
    ["exclusiveMaximum", "less than", (bound: number) => value < bound],
    ["multipleOf", "a multiple of", (bound: number) => isMultiple(value, bound)],
  ] as const;
  for (const [keyword, words, holds] of bounds) {
    const bound = limit(schema, keyword);
    if (bound !== undefined && !holds(bound)) found.add(place, `expected ${words} ${bound}`);
  }
}

/** 0.3 is a multiple of 0.1, though not in binary fractions. */
function isMultiple(value: number, of: number): boolean {
  if (of <= 0) return true;
  const times = value / of;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

/** A keyword's value where it is a number. */
export function limit(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" ? value : undefined;
}

export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count} ${count === 1 ? noun : plural}`;
}
