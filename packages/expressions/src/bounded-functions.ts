import type { Environment } from "@marcbachmann/cel-js";
import { ToolError } from "@toolpacks/core";
import { maxTextLength } from "./json-size.ts";

/** Maximum number of items of a list inside an expression. */
const maxItems = 1_000_000;
/** Maximum length of a text times the length of what is searched for in it. The worst case of a search takes their product. */
const maxSearch = 1_000_000_000;

/** Maximum length of a regular expression. No timeout stops its compilation. */
const maxPattern = 1_000;

/**
 * CEL's functions that make something larger than their input, or whose time is not linear. A timeout cannot stop native code, so each
 * checks first how much it would make. By the name that expressions use; the library does not replace a function of the same name.
 */
const boundedFunctions = {
  split: [["string.bounded_split(string): list<string>", split]],
  join: [
    ["list<string>.bounded_join(): string", (list: readonly unknown[]) => join(list, "")],
    ["list<string>.bounded_join(string): string", join],
  ],
  contains: [
    [
      "string.bounded_contains(string): bool",
      (text: string, sought: string) => searched(text, sought).includes(sought),
    ],
  ],
  indexOf: [
    [
      "string.bounded_indexOf(string): int",
      (text: string, sought: string) => BigInt(searched(text, sought).indexOf(sought)),
    ],
  ],
  lastIndexOf: [
    [
      "string.bounded_lastIndexOf(string): int",
      (text: string, sought: string) => BigInt(searched(text, sought).lastIndexOf(sought)),
    ],
  ],
  matches: [["string.bounded_matches(string): bool", matches]],
  // Not supported: a script has them.
  hex: [],
  base64: [],
  json: [],
} as const;

/** The name under which a function is registered. */
export function boundedName(name: string): string {
  return Object.hasOwn(boundedFunctions, name) ? `bounded_${name}` : name;
}

export function registerBounded(environment: Environment): void {
  for (const [signature, handler] of Object.values(boundedFunctions).flat()) {
    environment.registerFunction(signature, handler, { async: false });
  }
}

/** Returns the value of a sum. @throws ToolError `too_large` for a text, list or bytes that are too large */
export function boundedSum(value: unknown): unknown {
  if (typeof value === "string" || value instanceof Uint8Array) checkLength(value.length);
  if (Array.isArray(value)) checkItems(value.length);
  return value;
}

function split(text: string, separator: string): readonly string[] {
  const parts = searched(text, separator).split(separator, maxItems + 1);
  checkItems(parts.length);
  return parts;
}

function join(list: readonly unknown[], separator: string): string {
  let length = 0;
  for (const item of list) {
    if (typeof item !== "string") throw new Error("join: the list must contain only strings");
    length += item.length + separator.length;
    if (length - separator.length > maxTextLength) break;
  }
  checkLength(length - separator.length);
  return list.join(separator);
}

function matches(text: string, pattern: string): boolean {
  if (pattern.length > maxPattern) {
    throw new ToolError("too_large", `a regular expression may have at most ${maxPattern} characters`);
  }
  return new RegExp(pattern).test(text);
}

function searched(text: string, sought: string): string {
  checkLength(text.length);
  if (text.length * sought.length <= maxSearch) return text;
  const problem = `a text of ${sought.length} characters is too long to be searched for in one of ${text.length}`;
  throw new ToolError("too_large", problem);
}

function checkLength(length: number): void {
  if (length > maxTextLength)
    throw new ToolError("too_large", `the result is a text of more than ${maxTextLength} characters`);
}

function checkItems(count: number): void {
  if (count > maxItems) throw new ToolError("too_large", `the result is a list of more than ${maxItems} items`);
}
