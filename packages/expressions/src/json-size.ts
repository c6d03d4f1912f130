import { measure } from "@toolpacks/core";

/** Maximum length of a text from an expression or a template, in characters. */
export const maxTextLength = 16 * 1024 * 1024;

/** Maximum nesting of values that are written as JSON. */
const maxDepth = 500;

/**
 * The approximate length of a value's JSON. Infinity if it is more than `max`, or too deep. A list may occur in a value many times, so the JSON of
 * a small value may not fit into memory.
 */
export function jsonSize(value: unknown, max: number): number {
  const { characters, exceeded } = measure(value, { maxCharacters: max, maxDepth });
  return exceeded === undefined ? characters : Infinity;
}
