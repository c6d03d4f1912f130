import { closest, ToolError } from "@toolpacks/core";
import { jsonOfResult, textOfResult } from "./text-results.ts";

type Path = readonly (string | number)[];

const pathPattern = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*|\[\d{1,9}\])*$/;
/** A literal text, or indexes with dots after a name or an index. */
const dottedIndexes = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?<=\b[A-Za-z_]\w*|\])(?:\.\d{1,9}\b)+/g;
/** Reserved words of CEL. */
const reserved = new Set(["true", "false", "null", "in"]);

/** The name of a result or of a variable, and the problem of any other text. */
export const identifier = {
  pattern: /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,39}$/,
  problem: "expected a name of at most 40 letters, digits and _, not beginning with a digit",
} as const;

/** Writes the indexes of `items.0.id` as `items[0].id`, because models use both forms. */
export function withBrackets(source: string): string {
  return source.replaceAll(dottedIndexes, (found) =>
    found.startsWith(".") ? found.replaceAll(/\.(\d+)/g, "[$1]") : found,
  );
}

/** The parts of a plain path. Undefined for any other expression. */
export function parsePath(source: string): Path | undefined {
  if (!pathPattern.test(source) || reserved.has(source)) return undefined;
  return source.match(/[A-Za-z0-9_]+/g)?.map((part) => (/^\d/.test(part) ? Number(part) : part));
}

/**
 * The value at a path.
 *
 * @throws ToolError `invalid_input` that names the first missing part and the existing ones
 */
export function followPath(path: Path, values: object, source: string): unknown {
  let value: unknown = values;
  for (const [at, part] of path.entries()) {
    const found = child(value, part);
    if (found === undefined) throw missing(path.slice(0, at + 1), value, source);
    value = found.value;
  }
  return value;
}

function child(value: unknown, part: string | number): { readonly value: unknown } | undefined {
  const json = jsonOfResult(value);
  return (json === undefined ? undefined : ownChild(json, part)) ?? ownChild(value, part);
}

function ownChild(value: unknown, part: string | number): { readonly value: unknown } | undefined {
  if (value === null || typeof value !== "object") return undefined;
  if (!Object.hasOwn(value, part) || (Array.isArray(value) && typeof part === "string")) return undefined;
  return { value: (value as Record<string | number, unknown>)[part] };
}

function missing(path: Path, parent: unknown, source: string): ToolError {
  const part = String(path.at(-1));
  const where = path
    .slice(0, -1)
    .map((one, at) => (typeof one === "number" ? `[${one}]` : `${at === 0 ? "" : "."}${one}`))
    .join("");
  const wrong = (problem: string, hint?: string) => new ToolError("invalid_input", `\${${source}}: ${problem}`, hint);
  if (where === "steps") return wrong(`there is no result of step ${part}: it has not run, or failed`);
  const of = where === "" ? "expressions" : where;
  const problem = `${of} ${where === "" ? "know" : "has"} no ${part}`;
  const fields = jsonOfResult(parent) ?? parent;
  if (Array.isArray(fields)) {
    const item = fields.length === 0 ? "" : `; its first item is ${firstLines(JSON.stringify(fields[0]))}`;
    return wrong(`${problem}: it is a list of ${fields.length}${item}`);
  }
  const text = textOfResult(fields);
  if (text !== undefined)
    return wrong(`${problem}: it is a text: ${firstLines(text)}`, `\${${where}.text} is all of it.`);
  if (fields === null || typeof fields !== "object")
    return wrong(`${problem}: it is ${fields === null ? "null" : `a ${typeof fields}`}`);
  const known = Object.keys(fields).slice(0, 30);
  const near = closest(part, known);
  const suggestion = near === undefined ? "" : `, did you mean ${near}?`;
  return wrong(`${problem}${suggestion} (there is ${known.join(", ") || "nothing"})`);
}

const maxShownLines = 4;
const maxShownLength = 300;

function firstLines(text: string): string {
  const lines = text.trim().split("\n", maxShownLines).join("\n").slice(0, maxShownLength).toWellFormed();
  return lines.length < text.trim().length ? `${lines}…` : lines;
}
