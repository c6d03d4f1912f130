import { isObject, ToolError } from "@toolpacks/core";
import type { Compilation } from "./compilation.ts";
import { jsonOfResult, textOfResult } from "./text-results.ts";
import { followPath, parsePath, withBrackets } from "./path.ts";

/** The values that an expression may read, by name: `input`, `steps`, `status`, and the variables of loops. */
export type Values = Readonly<Record<string, unknown>>;

/** A compiled expression. */
export interface Expression {
  readonly source: string;
  /** The steps whose results or statuses it uses. */
  readonly references: readonly string[];
  /** @throws ToolError `invalid_input` that names the problem and the expression */
  readonly evaluate: (values: Values) => unknown;
}

/**
 * Compiles an expression: a path (`steps.tree.items[0].path`), whose value keeps its type, or CEL. CEL loops over lists only,
 * has no recursion and only its own functions, and sees only the given values.
 *
 * @param at its place, for the error
 * @throws ToolError `invalid_input`, `too_large` for one expression too many
 */
export async function compileExpression(source: string, at: string, compilation: Compilation): Promise<Expression> {
  compilation.takeExpression(at);
  const bracketed = withBrackets(source);
  const path = parsePath(bracketed);
  if (path !== undefined) {
    const [root, first] = path;
    const references = (root === "steps" || root === "status") && typeof first === "string" ? [first] : [];
    return { source, references, evaluate: (values) => followPath(path, values, source) };
  }
  const { compileCel } = await import("./cel.ts");
  const { references, run } = await compilation.compile(() => compileCel(bracketed, at, compilation.timeoutMs));
  const resultsOf = resultsWithFields(bracketed, references);
  return {
    source,
    references,
    evaluate(values) {
      try {
        return run(resultsOf(values));
      } catch (error) {
        const code = ToolError.is(error) ? error.code : "invalid_input";
        const there = ToolError.is(error) ? "" : shapes(resultsOf(values)["steps"], references);
        throw new ToolError(code, `\${${source}}: ${reason(error)}${there}`);
      }
    },
  };
}

/**
 * Replaces a result whose text is JSON by that JSON, for CEL. `text` stays its whole text, unless the JSON has such a field. A
 * list has no fields, so it is not replaced where the expression reads `text`.
 */
function resultsWithFields(source: string, references: readonly string[]): (values: Values) => Values {
  const readsText = new Set(references.filter((id) => source.includes(`steps.${id}.text`)));
  return (values) => {
    const steps = values["steps"];
    if (!isObject(steps)) return values;
    const replaced = references.flatMap((id) => {
      const result = Object.hasOwn(steps, id) ? steps[id] : undefined;
      const json = jsonOfResult(result);
      if (json === undefined || (Array.isArray(json) && readsText.has(id))) return [];
      return [[id, isObject(json) ? { text: textOfResult(result), ...json } : json] as const];
    });
    return replaced.length === 0 ? values : { ...values, steps: { ...steps, ...Object.fromEntries(replaced) } };
  };
}

const maxShownFields = 15;

/** What the results of steps are, for an expression that failed. */
function shapes(steps: unknown, references: readonly string[]): string {
  const shown = references.flatMap((id) => {
    const result = isObject(steps) && Object.hasOwn(steps, id) ? steps[id] : undefined;
    if (Array.isArray(result)) return [`steps.${id} is a list of ${result.length}`];
    if (!isObject(result)) return [];
    return [`steps.${id} has ${Object.keys(result).slice(0, maxShownFields).join(", ") || "no field"}`];
  });
  return shown.length === 0 ? "" : ` (${shown.join("; ")})`;
}

function reason(error: unknown): string {
  // An error of the script's realm is not an instance of our Error.
  if (isObject(error) && error["code"] === "ERR_SCRIPT_EXECUTION_TIMEOUT") return "it took too long and was stopped";
  if (!(error instanceof Error)) return String(error);
  const isSummed = "summary" in error && typeof error.summary === "string";
  const summary = isSummed ? String(error.summary) : (error.message.split("\n", 1)[0] ?? "");
  // Bounded functions are registered under another name than the one in the expression.
  return summary.replace(".bounded_", ".");
}
