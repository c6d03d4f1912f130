import { describeIssues, ToolError } from "@toolpacks/core";
import { checkCalls, type Library } from "./library.ts";
import { compileWorkflow } from "./compile-workflow.ts";
import { everyStep, inlineName, type Step, type Workflow } from "./workflow.ts";
import { workflowSource } from "./workflow-source.ts";

interface Rules {
  readonly library: Library;
  /** Allowed kinds of step and names of step types. */
  readonly allowed: ReadonlySet<string>;
  /** Cancels the compilation. */
  readonly signal?: AbortSignal;
}

/**
 * Compiles a definition that comes with a call. It may hold only what the configuration allows.
 *
 * @throws ToolError `invalid_input`, or `denied` for a step that is not allowed
 */
export async function compileInline(given: object, { library, allowed, signal }: Rules): Promise<Workflow> {
  const parsed = workflowSource.safeParse(given);
  if (!parsed.success) {
    const problem = describeIssues(parsed.error.issues, workflowSource);
    throw new ToolError("invalid_input", problem, "workflow_steps shows what a step may be.");
  }
  const workflow = await compileWorkflow(inlineName, parsed.data, { at: "", signal });
  const refused = everyStep(workflow.steps).find((step) => !allowed.has(allowance(step)));
  if (refused !== undefined) {
    throw new ToolError(
      "denied",
      `step ${refused.id}: ${allowance(refused)} is not allowed in a definition that comes with a call`,
      `Allowed: ${[...allowed].join(", ")}. The user can allow more with inline of the workflows pack, or add the workflow to the config file.`,
    );
  }
  await checkCalls(workflow, { find: library.find, way: [inlineName] });
  return workflow;
}

function allowance(step: Step): string {
  return step.kind === "step" ? step.step : step.kind;
}
