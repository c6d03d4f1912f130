import { createCompilation } from "./compilation.ts";
import type { Values } from "./expression.ts";
import { inShortTurn } from "./short-turns.ts";
import { compileTemplate, type Evaluation } from "./template.ts";

/** Timeout of an expression in ms. Longer than in a run: no other caller waits, and on a busy machine a short expression may take a while. */
const timeoutMs = 10_000;

/** Each expression has limits of its own. Those of a run do not apply outside of one. */
const outsideRuns: Evaluation = { measure: (work) => inShortTurn(work), takeText: () => {} };

/**
 * Compiles a value whose texts may hold `${…}` expressions, for use outside of a workflow. The returned function renders it: a text of exactly
 * one expression becomes its value of any type, which rejects with a ToolError `invalid_input` that names the expression.
 *
 * @param at its place, for errors
 * @throws ToolError `invalid_input` for a text that is no expression, `too_large` for too many
 */
export async function compileValue(source: unknown, at: string): Promise<(values: Values) => Promise<unknown>> {
  const template = await compileTemplate(source, { at, compilation: createCompilation(undefined, timeoutMs) });
  return (values) => template.resolve(values, outsideRuns);
}
