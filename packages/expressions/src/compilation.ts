import { ToolError } from "@toolpacks/core";
import { inShortTurn } from "./short-turns.ts";

const maxExpressions = 5_000;
/** Maximum number of characters in the texts of one workflow that hold expressions. */
const maxSource = 1_000_000;

export type Compilation = ReturnType<typeof createCompilation>;

/**
 * Limits on the expressions of one workflow during compilation.
 *
 * @param signal cancels the compilation
 * @param timeoutMs timeout of each expression's evaluation in ms. Default: that of `compileCel`
 */
export function createCompilation(signal?: AbortSignal, timeoutMs?: number) {
  let characters = 0;
  let expressions = 0;
  return {
    timeoutMs,
    /** Counts a text before it is scanned for expressions. @throws ToolError `too_large` */
    takeText(text: string, at: string): void {
      characters += text.length;
      if (characters <= maxSource) return;
      const max = maxSource.toLocaleString("en");
      const problem = `${at}: the texts with expressions of one workflow may have ${max} characters together`;
      throw new ToolError("too_large", problem, "Give long texts as input, and refer to them.");
    },
    /** Counts an expression before it is compiled. @throws ToolError `too_large` */
    takeExpression(at: string): void {
      expressions += 1;
      if (expressions <= maxExpressions) return;
      const problem = `${at}: a workflow may have at most ${maxExpressions.toLocaleString("en")} expressions`;
      throw new ToolError("too_large", problem, "Use forEach, or split the workflow.");
    },
    /** Compiles one expression. Yields to the event loop first if it was blocked for long. @throws ToolError `cancelled` */
    compile: <T>(work: () => T): Promise<T> =>
      inShortTurn(() => {
        if (signal?.aborted === true) throw new ToolError("cancelled", "the run was cancelled before it began");
        return work();
      }),
  };
}
