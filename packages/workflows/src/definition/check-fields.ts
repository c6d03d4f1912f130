import { ToolError, type JsonSchema, type ToolAccess } from "@toolpacks/core";
import { expressionsIn, unknownFieldProblem } from "@toolpacks/expressions";
import { everyStep, type StepOf, type Workflow } from "./workflow.ts";

/**
 * Checks the fields that the params of tool steps read of results whose output schema is known.
 *
 * @throws ToolError `invalid_input` naming the step, the field and the nearest fields
 */
export async function checkFields({ steps }: Workflow, access: ToolAccess): Promise<void> {
  const all = everyStep(steps);
  const tools = new Map(all.flatMap((step) => (step.kind === "tool" ? [[step.id, step] as const] : [])));
  const schemas = new Map<string, JsonSchema>();
  for (const id of new Set(all.flatMap(({ references }) => references))) {
    const step = tools.get(id);
    const schema = step && (await outputOf(step, access));
    if (schema !== undefined) schemas.set(id, schema);
  }
  for (const { id, params } of tools.values()) {
    for (const { at, source } of expressionsIn(params.source)) {
      const problem = unknownFieldProblem(source, (one) => schemas.get(one));
      if (problem !== undefined) throw new ToolError("invalid_input", `step ${id}: params.${at.join(".")}: ${problem}`);
    }
  }
}

/** The schema of a step's result. A fallback may have any other result. */
async function outputOf(step: StepOf<"tool">, access: ToolAccess): Promise<JsonSchema | undefined> {
  if (step.fallback.length > 0) return undefined;
  const found = await access.resolve(step.tool);
  return "failure" in found ? undefined : found.tool.output?.json();
}
