import { closest, foreignSchema, ToolError } from "@toolpacks/core";
import { compileSteps } from "./compile-step.ts";
import { createCompilation } from "@toolpacks/expressions";
import { objectSchema } from "./shorthand.ts";
import { everyStep, type Workflow } from "./workflow.ts";
import type { WorkflowSource } from "./workflow-source.ts";

/**
 * Compiles a workflow: checks its input schema, its expressions and the ids that they use.
 *
 * @param place.at its place: `workflows.audit`; empty for an inline definition
 * @param place.signal cancels the compilation
 * @throws ToolError `invalid_input` naming the place and what is wrong
 */
export async function compileWorkflow(
  name: string,
  source: WorkflowSource,
  { at, signal }: { readonly at: string; readonly signal?: AbortSignal | undefined },
): Promise<Workflow> {
  const compilation = createCompilation(signal);
  const field = (key: string) => (at === "" ? key : `${at}.${key}`);
  const input = source.input && foreignSchema(objectSchema(source.input, field("input")));
  const steps = await compileSteps(source.steps, {
    at: field("steps"),
    ids: new Set(),
    users: new Map(),
    prefix: "step",
    compilation,
  });
  await checkTriggers(source, field("on"));
  checkReferences(everyStep(steps), field("steps"));
  return {
    name,
    description: source.description ?? name,
    source,
    input,
    steps,
    onError: source.onError,
  };
}

/** @throws ToolError `invalid_input` for a schedule that is none */
async function checkTriggers({ on = [] }: WorkflowSource, place: string): Promise<void> {
  for (const [index, { at, zone, start }] of on.entries()) {
    if (at === undefined) continue;
    const { checkSchedule } = await import("../clock/recurrence.ts");
    try {
      checkSchedule({ at, zone, start });
    } catch (error) {
      throw ToolError.is(error) ? new ToolError(error.code, `${place}[${index}]: ${error.message}`) : error;
    }
  }
}

function checkReferences(steps: ReturnType<typeof everyStep>, at: string): void {
  const ids = new Set(steps.map(({ id }) => id));
  for (const { id, references } of steps) {
    const unknown = references.find((reference) => !ids.has(reference));
    if (unknown === undefined) continue;
    const near = closest(unknown, [...ids]);
    throw new ToolError(
      "invalid_input",
      `${at}: step ${id} refers to an unknown step ${unknown}${near === undefined ? "" : `; did you mean ${near}?`}`,
    );
  }
}
