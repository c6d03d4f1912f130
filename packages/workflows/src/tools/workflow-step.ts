import { defineTool, type Tool } from "@toolpacks/core";
import type { Operations } from "../operations.ts";
import { renderRun, replyToRun, runOutput } from "../report/answer.ts";
import { oneStep } from "./run-options.ts";

/** `workflow_step`: runs a single step of a workflow. */
export function workflowStep(load: () => Promise<Operations>): Tool {
  return defineTool({
    name: "workflow_step",
    description: "Run one step of a workflow alone.",
    keywords: ["single", "debug", "try", "retry", "routine"],
    aliases: ["routine_step"],
    examples: [{ say: "only look for open issues", args: { name: "project_audit", step: "issues" } }],
    mutates: true,
    effects: { openWorld: true, calls: true },
    input: oneStep,
    output: runOutput,
    text: renderRun,
    handler: async (one, context) => replyToRun(await (await load()).runOneStep(one)(context)),
  });
}
