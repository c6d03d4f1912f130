import type { Evaluation, KeywordCheck, SchemaObject } from "./evaluation.ts";
import { formats } from "./formats.ts";

const maxShownValues = 10;
const maxShownCharacters = 60;

/** Checks `type`, `enum`, `const` and the keywords of strings and numbers. Returns false if the type is wrong. */
export function checkScalars(evaluation: Evaluation, check: KeywordCheck): boolean {
  const { schema, node, found } = check;
  const { value } = node;
  const types = [schema["type"]].flat().filter((type) => typeof type === "string");
  evaluation.spend(types.length);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    const expected = types.slice(0, maxShownValues).map(clipped).join(" or ");
    found.add(node, `expected ${expected}, received ${typeOf(value)}`);
    return false;
  }
  checkValues(evaluation, check);
  if (typeof value === "string") checkString(evaluation, check, value);
  else if (typeof value === "number") checkNumber(check, value);
  return true;
}

/** The JSON Schema name of a value's type. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isOfType(value: unknown, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type;
}

function checkValues(evaluation: Evaluation, { schema, node, found }: KeywordCheck): void {
  const values = schema["enum"];
  const hasConst = Object.hasOwn(schema, "const");
  if (!Array.isArray(values) && !hasConst) return;
  const text = evaluation.textOf(node.value);
  if (hasConst) {
    const expected = evaluation.textOf(schema["const"]);
    if (text !== expected) found.add(node, `expected ${clipped(expected)}`);
  }
  if (!Array.isArray(values)) return;
  let texts = evaluation.enums.get(values);
  if (texts === undefined) {
    texts = new Set(values.map((one) => evaluation.textOf(one)));
    evaluation.enums.set(values, texts);
  }
  if (texts.has(text)) return;
  const shown = values.slice(0, maxShownValues).map((one) => clipped(evaluation.textOf(one)));
  found.add(node, `expected one of ${shown.join(", ")}${values.length > maxShownValues ? ", …" : ""}`);
}

export function clipped(text: string): string {
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;
}

function checkString(evaluation: Evaluation, { schema, node, found }: KeywordCheck, text: string): void {
  const { pattern, format } = schema;
  const [min, max] = [limit(schema, "minLength"), limit(schema, "maxLength")];
  if (min !== undefined && !hasLength(evaluation, text, min)) {
    found.add(node, `expected at least ${counted(min, "character")}`);
  }
  if (max !== undefined && hasLength(evaluation, text, Math.floor(max) + 1)) {
    found.add(node, `expected at most ${counted(max, "character")}`);
  }
  if (typeof pattern === "string" && !evaluation.matches(pattern, text)) {
    found.add(node, `expected text that matches ${pattern}`);
  }
  const hasFormat = typeof format === "string" ? formats.get(format) : undefined;
  if (hasFormat !== undefined) evaluation.spend(Math.ceil(text.length / 100));
  if (hasFormat?.(text) === false) found.add(node, `expected ${String(format)}`);
}

/** Whether a text has at least `min` code points. They are counted only if the number of UTF-16 units does not decide. */
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

function checkNumber({ schema, node, found }: KeywordCheck, value: number): void {
  const bounds = [
    ["minimum", "at least", (bound: number) => value >= bound],
    ["maximum", "at most", (bound: number) => value <= bound],
    ["exclusiveMinimum", "more than", (bound: number) => value > bound],
    ["exclusiveMaximum", "less than", (bound: number) => value < bound],
    ["multipleOf", "a multiple of", (bound: number) => isMultiple(value, bound)],
  ] as const;
  for (const [keyword, words, holds] of bounds) {
    const bound = limit(schema, keyword);
    if (bound !== undefined && !holds(bound)) found.add(node, `expected ${words} ${bound}`);
  }
}

/** Whether a number is a multiple of another, with a tolerance for binary fractions: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  if (of <= 0) return true;
  const times = value / of;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

/** The value of a keyword if it is a number. */
export function limit(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" ? value : undefined;
}

export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count} ${count === 1 ? noun : plural}`;
}
