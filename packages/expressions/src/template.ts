import { handleIn, isObject, ToolError } from "@toolpacks/core";
import type { Compilation } from "./compilation.ts";
import { jsonSize, maxTextLength } from "./json-size.ts";
import { compileExpression, type Expression, type Values } from "./expression.ts";
import { textOfResult } from "./text-results.ts";
import { scan } from "./scan.ts";

/** Limits on the expressions of one step during evaluation. */
export interface Evaluation {
  /**
   * Evaluates one expression. Yields to the event loop first if it was blocked for long. Its time counts towards the limit.
   *
   * @throws ToolError when the run is cancelled, or its expressions took too long together
   */
  readonly measure: <T>(work: () => T) => Promise<T>;
  /**
   * Counts characters before they are added to a text.
   *
   * @throws ToolError `too_large` for more than the run may keep
   */
  readonly takeText: (characters: number) => void;
}

/** A value whose texts may hold expressions. */
export interface Template {
  readonly source: unknown;
  readonly references: readonly string[];
  /** Renders the value. A text of exactly one `${…}` becomes its value of any type; inside a longer text it becomes text. */
  resolve(values: Values, evaluation: Evaluation): Promise<unknown>;
}

const maxDepth = 32;

/** The place of a template, and its limits. */
export interface TemplatePlace {
  readonly at: string;
  readonly compilation: Compilation;
  /** Number of lists and objects around it. */
  readonly depth?: number;
}

/**
 * Compiles every expression in a value.
 *
 * @throws ToolError `invalid_input` naming the place and what is wrong, `too_large`
 */
export async function compileTemplate(source: unknown, place: TemplatePlace): Promise<Template> {
  const { at, compilation, depth = 0 } = place;
  if (depth > maxDepth) throw new ToolError("invalid_input", `${at}: nested more than ${maxDepth} deep`);
  if (typeof source === "string") return compileText(source, place);
  const isList = Array.isArray(source);
  if (!isList && !isObject(source)) return constantTemplate(source);
  const parts: (readonly [key: string, template: Template])[] = [];
  for (const [key, value] of Object.entries(source)) {
    const within = { at: isList ? `${at}[${key}]` : `${at}.${key}`, compilation, depth: depth + 1 };
    parts.push([key, await compileTemplate(value, within)]);
  }
  return {
    source,
    references: [...new Set(parts.flatMap(([, { references }]) => references))],
    async resolve(values, evaluation) {
      const resolved: (readonly [key: string, value: unknown])[] = [];
      for (const [key, part] of parts) resolved.push([key, await part.resolve(values, evaluation)]);
      return isList ? resolved.map(([, value]) => value) : Object.fromEntries(resolved);
    },
  };
}

async function compileText(source: string, { at, compilation }: TemplatePlace): Promise<Template> {
  // `${relay://…}` is a handle, which dispatch resolves.
  if (!source.includes("${") || handleIn(source) !== undefined) return constantTemplate(source);
  compilation.takeText(source, at);
  const pieces = scan(source);
  if (pieces === undefined)
    throw new ToolError("invalid_input", `${at}: a \${ is not closed`, "Write $${ for a literal ${.");
  const parts: (string | Expression)[] = [];
  for (const piece of pieces) {
    parts.push("text" in piece ? piece.text : await compileExpression(piece.expression, at, compilation));
  }
  const [first] = parts;
  if (first === undefined) return constantTemplate("");
  if (parts.length === 1) {
    if (typeof first === "string") return constantTemplate(first);
    const resolve: Template["resolve"] = (values, evaluation) => evaluation.measure(() => first.evaluate(values));
    return { source, references: first.references, resolve };
  }
  const references = parts.flatMap((part) => (typeof part === "string" ? [] : part.references));
  return { source, references, resolve: (values, evaluation) => join(parts, { values, evaluation, at }) };
}

async function join(
  parts: readonly (string | Expression)[],
  { values, evaluation, at }: { readonly values: Values; readonly evaluation: Evaluation; readonly at: string },
): Promise<string> {
  let text = "";
  const take = (length: number) => {
    if (text.length + length > maxTextLength) {
      const problem = `${at}: the text would be longer than ${maxTextLength.toLocaleString("en")} characters`;
      throw new ToolError("too_large", problem, "Use a shorter value.");
    }
    evaluation.takeText(length);
  };
  const textOf = (expression: Expression) => {
    const value = expression.evaluate(values);
    const shown = typeof value === "string" ? value : textOfResult(value);
    take(shown?.length ?? jsonSize(value, maxTextLength));
    return shown ?? JSON.stringify(value) ?? "";
  };
  for (const part of parts) {
    if (typeof part === "string") take(part.length);
    text += typeof part === "string" ? part : await evaluation.measure(() => textOf(part));
  }
  return text;
}

/** A value without expressions. */
export function constantTemplate(value: unknown): Template {
  return { source: value, references: [], resolve: async () => value };
}
