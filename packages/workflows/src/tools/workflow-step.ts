import { defineTool, ToolError, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { earlierSteps } from "../engine/resume.ts";
import type { Engine, Run } from "../engine/run.ts";
import { runWorkflow } from "../engine/run-workflow.ts";
import { answerRun, renderRun, runOutput } from "../report/answer.ts";
import { findReport } from "../report/read-report.ts";
import { runFields, workflowField } from "./run-options.ts";

const input = z.object({
  name: workflowField.describe("a configured workflow"),
  step: z.string().min(1).max(100).describe("the step's id"),
  input: runFields.input,
  from: z.int().min(0).optional().describe("a report whose results of the other steps it may refer to"),
  dryRun: runFields.dryRun,
});

/** `workflow_step`: runs one step of a workflow alone. */
export function workflowStep(engine: Engine): Tool {
  return defineTool({
    name: "workflow_step",
    description: "Run one step of a workflow alone.",
    keywords: ["single", "debug", "try", "retry", "routine"],
    aliases: ["routine_step"],
    examples: [{ say: "only look for open issues", args: { name: "project_audit", step: "issues" } }],
    mutates: true,
    effects: { openWorld: true },
    input,
    output: runOutput,
    text: renderRun,
    handler: async ({ name, step, input: given, from, dryRun }, context) => {
      const workflow = await engine.library.find(name);
      const order = { workflow, inline: false, input: given, options: { only: [step], dryRun } };
      const earlier = from === undefined ? undefined : await otherSteps(engine, { name, step, from });
      return answerRun(await runWorkflow(engine, { ...order, ...(earlier && { earlier }) }, context));
    },
  });
}

/** The results of a report, but not of the step that is to run. */
async function otherSteps(
  engine: Engine,
  { name, step, from }: { readonly name: string; readonly step: string; readonly from: number },
): Promise<Run["earlier"]> {
  const { data } = await findReport(engine.store, { generation: from });
  if (data.workflow !== name) {
    throw new ToolError("invalid_input", `from: report ${from} is of ${data.workflow}, not of ${name}`);
  }
  const earlier = earlierSteps(engine, from);
  return async (path) => (path.split("/").includes(step) ? undefined : earlier(path));
}
