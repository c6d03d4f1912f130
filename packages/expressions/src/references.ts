import { isObject, ToolError } from "@toolpacks/core";
import { jsonSize, maxTextLength } from "./json-size.ts";
import { followPath, parsePath, withBrackets } from "./path.ts";
import { textOfResult } from "./text-results.ts";

/** A reference to a result, or an expression with results, which is none. `$` before it makes it literal. */
const pattern = /\$?\$\{[^{}]*\bsteps\s*[.[][^{}]*\}/g;

/** A reference to a result in a value: `${steps.s1.items[0].id}`. */
export interface Reference {
  /** The path of the text that holds it: field names, and indexes as text. */
  readonly at: readonly string[];
  /** `steps.s1.items[0].id` */
  readonly source: string;
  /** The id of the result. Undefined if the text is no path. */
  readonly id: string | undefined;
}

/** Every reference to a result in the texts of a value. */
export function referencesIn(value: unknown, at: readonly string[] = []): readonly Reference[] {
  if (typeof value === "string") {
    const found = (value.match(pattern) ?? []).filter((text) => !text.startsWith("$$"));
    return found.map((text) => {
      const { source, path } = read(text);
      return { at, source, id: path === undefined ? undefined : String(path[1]) };
    });
  }
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => referencesIn(inner, [...at, name]));
}

/**
 * Replaces the references in a value. A text of exactly one reference becomes its value of any type; inside a longer text the value becomes text.
 *
 * @param steps results by id
 * @throws ToolError `invalid_input` for a field that a result has not; `too_large`
 */
export function fillIn(value: unknown, steps: Readonly<Record<string, unknown>>): unknown {
  let characters = 0;
  const valueOf = (text: string) => {
    const { path = [], source } = read(text);
    return followPath(path, { steps }, source);
  };
  const textOf = (text: string) => {
    if (text.startsWith("$$")) return text.slice(1);
    const found = valueOf(text);
    const shown = typeof found === "string" ? found : textOfResult(found);
    characters += shown?.length ?? jsonSize(found, maxTextLength);
    if (characters <= maxTextLength) return shown ?? JSON.stringify(found);
    const problem = `the texts would be longer than ${maxTextLength.toLocaleString("en")} characters`;
    throw new ToolError("too_large", problem, "Use a shorter value.");
  };
  const fill = (one: unknown): unknown => {
    if (typeof one === "string") {
      const isOne = !one.startsWith("$$") && one.match(pattern)?.[0] === one;
      return isOne ? valueOf(one) : one.replaceAll(pattern, textOf);
    }
    if (Array.isArray(one)) return one.map(fill);
    return isObject(one) ? Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, fill(inner)])) : one;
  };
  return fill(value);
}

function read(text: string) {
  const source = text.slice(2, -1).trim();
  const path = parsePath(withBrackets(source));
  return { source, path: path?.[0] === "steps" && typeof path[1] === "string" ? path : undefined };
}
