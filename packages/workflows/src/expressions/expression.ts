import { isObject, ToolError } from "@toolpacks/core";
import type { Compilation } from "./compilation.ts";
import { followPath, parsePath } from "./path.ts";

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
  compilation.takeExpressions(1, at);
  const path = parsePath(source);
  if (path !== undefined) {
    const [root, first] = path;
    const references = (root === "steps" || root === "status") && typeof first === "string" ? [first] : [];
    return { source, references, evaluate: (values) => followPath(path, values, source) };
  }
  const { compileCel } = await import("./cel.ts");
  const { references, run } = await compilation.compile(() => compileCel(source, at));
  return {
    source,
    references,
    evaluate(values) {
      try {
        return run(values);
      } catch (error) {
        const code = ToolError.is(error) ? error.code : "invalid_input";
        throw new ToolError(code, `\${${source}}: ${reason(error)}`);
      }
    },
  };
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
