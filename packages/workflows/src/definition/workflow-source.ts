import { z } from "zod";
import { onErrors } from "./step-kinds.ts";
import { triggerSource } from "./trigger-source.ts";
import { steps } from "./step-source.ts";
import { findInvisible } from "./visible-text.ts";

/** A text that reaches a model or a terminal through `tools/list` and `prompts/list`. */
function checkVisible(value: unknown, context: z.RefinementCtx): void {
  const problem = findInvisible(value);
  if (problem !== undefined) context.addIssue({ code: "custom", path: [...problem.path], message: problem.message });
}

/** A workflow's name. It may become the name of a tool: `workflow_<name>`. */
export const workflowName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,49}$/, "expected a lower-case name, at most 50 characters of a-z, 0-9 and _");

/** A workflow in a config file. */
export const workflowSource = z.strictObject({
  description: z
    .string()
    .min(1)
    .max(1_000)
    .superRefine(checkVisible)
    .optional()
    .describe("what the workflow does, for models"),
  input: z
    .record(z.string().max(200), z.unknown())
    .superRefine(checkVisible)
    .optional()
    .describe('JSON Schema, or shorthand: {"path": "string", "limit": "integer?", "tags": "string[]?"}'),
  steps: steps.describe("steps, in their order"),
  expose: z.enum(["tool", "none"]).default("none").describe("tool: also its own tool and prompt, workflow_<name>"),
  on: z.array(triggerSource).min(1).max(20).optional().describe("when it starts by itself"),
  onError: z.enum(onErrors).default("stop").describe("what a failed step means for those after it"),
});

/** Workflows of these names cannot be exposed: `workflow_run` and the others are tools of the pack. */
const packToolNames: ReadonlySet<string> = new Set(["run", "eval", "list", "step", "report", "steps"]);

/** The value of the config key `workflows`. */
export const workflowSources = z.record(workflowName, workflowSource).superRefine((sources, context) => {
  for (const [name, { expose }] of Object.entries(sources)) {
    if (expose !== "tool" || !packToolNames.has(name)) continue;
    const message = `there is a tool workflow_${name} already; rename the workflow, or leave out expose`;
    context.addIssue({ code: "custom", path: [name, "expose"], message });
  }
});

export type WorkflowSource = z.output<typeof workflowSource>;
