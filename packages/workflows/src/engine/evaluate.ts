import { ToolError, type Failure } from "@toolpacks/core";
import { type Evaluation, type Expression, inShortTurn, type Template } from "@toolpacks/expressions";
import { abortFailure } from "./with-timeout.ts";
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
        if (signal.aborted) throw errorOf(abortFailure(signal));
        const started = performance.now();
        let exceeded: Failure | undefined;
        let value: ReturnType<typeof work>;
        try {
          value = work();
        } finally {
          exceeded = budget.takeExpressionTime(performance.now() - started);
        }
        if (exceeded !== undefined) throw errorOf(exceeded);
        return value;
      }),
    takeText(count) {
      characters += count;
      const exceeded = budget.checkBytes(characters);
      if (exceeded !== undefined) throw errorOf(exceeded);
    },
  };
}

export function errorOf({ code, message, hint }: Failure): ToolError {
  return new ToolError(code, message, hint);
}
