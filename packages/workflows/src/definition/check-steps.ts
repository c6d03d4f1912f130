import { renderFailure, type Catalog, type StepType, type ToolSchema } from "@toolpacks/core";
import type { Models } from "@toolpacks/models";
import { expressionsIn } from "@toolpacks/expressions";
import { runningTools } from "./own-tool.ts";
import type { Library } from "./library.ts";
import { everyStep, type Step } from "./workflow.ts";

/** The tools, step types and models that steps may use. */
export interface StepCheck {
  readonly library: Library;
  readonly catalog: Catalog;
  readonly models: Models;
}

/**
 * Finds the problems that would make a step fail for every input: an unknown tool, step type or model, an unknown or missing
 * parameter. Expressions are assumed to have valid values.
 *
 * @param name the workflow
 * @returns one sentence for each problem, without the workflow's name
 */
export async function stepProblems(name: string, check: StepCheck): Promise<readonly string[]> {
  const workflow = await check.library.find(name);
  const types = await check.catalog.stepTypes();
  const found = await Promise.all(
    everyStep(workflow.steps).map(async (step) => {
      const problem = await problemOf(step, check, types);
      return problem === undefined ? [] : [`step ${step.id}: ${problem}`];
    }),
  );
  return found.flat();
}

async function problemOf(
  step: Step,
  { catalog, models }: StepCheck,
  types: ReadonlyMap<string, StepType>,
): Promise<string | undefined> {
  if (step.kind === "tool") {
    if (runningTools.test(step.tool)) return `a step may not call ${step.tool}`;
    const found = await catalog.resolve(step.tool);
    if ("failure" in found) return renderFailure(found.failure).replace("\n", ". ");
    return paramsProblem(found.tool.input, step.params.source);
  }
  if (step.kind === "step") {
    const type = types.get(step.step);
    if (type === undefined) return `no step type ${step.step}; there are ${[...types.keys()].join(", ") || "none"}`;
    return paramsProblem(type.params, step.params.source);
  }
  if (step.kind === "code") {
    const { codeProblems } = await import("../code/check-code.ts");
    return (await codeProblems(step.code, { access: catalog, readOnly: false })).join("; ") || undefined;
  }
  // The fallback runs when the model cannot be asked.
  if (step.kind === "model" && step.fallback.length === 0) return models.problem(step.serves);
  return undefined;
}

async function paramsProblem(schema: ToolSchema, params: unknown): Promise<string | undefined> {
  const checked = await schema.check(
    params,
    expressionsIn(params).map(({ at }) => at),
  );
  return checked.ok ? undefined : `params: ${checked.message}`;
}
