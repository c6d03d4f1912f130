import { handleIn, ToolError } from "@toolpacks/core";
import { jsonSize, maxTextLength } from "./json-size.ts";
import { compileExpression, type Expression, type Values } from "./expression.ts";
import { textOfResult } from "../text-results.ts";
import { scan } from "./scan.ts";

/** A value with expressions in its texts. */
export interface Template {
  readonly source: unknown;
  readonly references: readonly string[];
  /** A text that is exactly one `${…}` becomes its value, of whatever type; inside a longer one it becomes text. */
  resolve(values: Values): unknown;
}

const deepest = 32;

/**
 * Checks every expression in a value.
 *
 * @throws ToolError `invalid_input` naming the place and what is wrong
 */
export async function compileTemplate(source: unknown, at: string, depth = 0): Promise<Template> {
  if (depth > deepest) throw new ToolError("invalid_input", `${at}: nested more than ${deepest} deep`);
  if (typeof source === "string") return compileText(source, at);
  if (Array.isArray(source)) {
    const items = await Promise.all(source.map((item, index) => compileTemplate(item, `${at}[${index}]`, depth + 1)));
    return combine(source, items, (values) => items.map((item) => item.resolve(values)));
  }
  if (source !== null && typeof source === "object") {
    if (Object.keys(source).length === 0) return { source, references: [], resolve: () => ({}) };
    const entries = await Promise.all(
      Object.entries(source).map(
        async ([name, value]) => [name, await compileTemplate(value, `${at}.${name}`, depth + 1)] as const,
      ),
    );
    const resolve = (values: Values) =>
      Object.fromEntries(entries.map(([name, value]) => [name, value.resolve(values)] as const));
    return combine(
      source,
      entries.map(([, value]) => value),
      resolve,
    );
  }
  return constant(source);
}

async function compileText(source: string, at: string): Promise<Template> {
  // What `${relay://…}` stands for is dispatch's to say.
  if (handleIn(source) !== undefined) return constant(source);
  const pieces = scan(source);
  if (pieces === undefined)
    throw new ToolError("invalid_input", `${at}: a \${ is not closed`, "Write $${ for a literal ${.");
  const parts = await Promise.all(
    pieces.map(async (piece) => ("text" in piece ? piece.text : compileExpression(piece.expression, at))),
  );
  const [first] = parts;
  if (first === undefined) return constant("");
  if (parts.length === 1) {
    if (typeof first === "string") return constant(first);
    return { source, references: first.references, resolve: first.evaluate };
  }
  const references = parts.flatMap((part) => (typeof part === "string" ? [] : part.references));
  return { source, references, resolve: (values) => joined(parts, values, at) };
}

function joined(parts: readonly (string | Expression)[], values: Values, at: string): string {
  let text = "";
  for (const part of parts) {
    const value = typeof part === "string" ? part : part.evaluate(values);
    const shown = typeof value === "string" ? value : textOfResult(value);
    if (text.length + (shown?.length ?? jsonSize(value, maxTextLength)) > maxTextLength) {
      const max = maxTextLength.toLocaleString("en");
      throw new ToolError("too_large", `${at}: the text would be longer than ${max} characters`, "Refer to less.");
    }
    text += shown ?? JSON.stringify(value) ?? "";
  }
  return text;
}

function constant(value: unknown): Template {
  return { source: value, references: [], resolve: () => value };
}

function combine(source: unknown, parts: readonly Template[], resolve: Template["resolve"]): Template {
  const references = [...new Set(parts.flatMap((part) => part.references))];
  return { source, references, resolve };
}
