import { defineTool, type Tool } from "@toolpacks/core";
import { z } from "zod";
import type { Operations } from "../operations.ts";
import { renderRun, runOutput } from "../report/answer.ts";
import { replyToRun } from "../report/run-reply.ts";
import { reportField, runFields, workflowField } from "./run-options.ts";

const input = z.object({
  name: workflowField.describe("a configured workflow"),
  step: z.string().min(1).max(100).describe("the step's id"),
  input: runFields.input,
  from: reportField.optional().describe("a report whose results of the other steps it may refer to"),
  dryRun: runFields.dryRun,
});

/** A request to run a single step. */
export type OneStep = Readonly<z.output<typeof input>>;

/** `workflow_step`: runs a single step of a workflow. */
export function workflowStep(load: () => Promise<Operations>): Tool {
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
    handler: async (one, context) => replyToRun(await (await load()).runOneStep(one)(context)),
  });
}
