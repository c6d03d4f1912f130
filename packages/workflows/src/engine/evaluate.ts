import { type Evaluation, type Expression, inShortTurn, type Template } from "@toolpacks/expressions";
import { abortError } from "./with-timeout.ts";
import { valuesOf, type Run, type Scope } from "./run.ts";

/** The value of an expression. @throws ToolError */
export function evaluate(run: Run, expression: Expression, scope: Scope): Promise<unknown> {
  return createEvaluation(run).measure(() => expression.evaluate(valuesOf(scope)));
}

/** The value of a template with its expressions filled in. @throws ToolError */
export function resolve(run: Run, template: Template, scope: Scope): Promise<unknown> {
  return template.resolve(valuesOf(scope), createEvaluation(run));
}

export function createEvaluation({ budget, signal }: Pick<Run, "budget" | "signal">): Evaluation {
  let characters = 0;
  return {
    measure: (work) =>
      inShortTurn(() => {
        if (signal.aborted) throw abortError(signal);
        const started = performance.now();
        try {
          return work();
        } finally {
          budget.takeExpressionTime(performance.now() - started);
        }
      }),
    takeText(count) {
      characters += count;
      budget.checkBytes(characters);
    },
  };
}
