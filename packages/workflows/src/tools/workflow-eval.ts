import { defineTool, detail, ToolError, unlisted, type Tool } from "@toolpacks/core";
import { z } from "zod";
import type { Operations } from "../operations.ts";
import { renderRun, replyToRun, runOutput } from "../report/answer.ts";
import { runFields, workflowField } from "./run-options.ts";

const input = z.object({
  steps: z
    .array(z.record(z.string().max(200), z.unknown()))
    .min(1)
    .max(200)
    .optional()
    .describe("{tool, params, id}; ${steps.id.files[0].text}"),
  name: workflowField.optional().meta(detail("a configured workflow, in place of steps")),
  input: runFields.input,
  dryRun: runFields.dryRun.meta(unlisted()),
  only: runFields.only.meta(unlisted()),
  skip: runFields.skip.meta(unlisted()),
  onError: runFields.onError.meta(unlisted()),
});

/** `workflow_eval`: runs steps that come with the call, or a configured workflow. */
export function workflowEval(load: () => Promise<Operations>): Tool {
  return defineTool({
    name: "workflow_eval",
    description: "Run tool calls as steps, or a workflow.",
    keywords: ["batch", "script", "pipeline", "sequence", "chain", "automate", "routine", "recipe"],
    aliases: ["routine_eval"],
    examples: [
      {
        say: "list the tests and read the first one",
        args: {
          steps: [
            { id: "tests", tool: "fs_list", params: { glob: "**/*.test.ts", limit: 1 } },
            { tool: "fs_read", params: { path: "${steps.tests.items[0].path}" } },
          ],
        },
      },
    ],
    mutates: true,
    effects: { openWorld: true },
    // Handles stay closed for the steps' tools. Opened here, their contents would be parsed for expressions.
    takesHandles: ["steps"],
    input,
    output: runOutput,
    text: renderRun,
    handler: async ({ steps, name, input: given, ...options }, context) => {
      if ((steps === undefined) === (name === undefined))
        throw new ToolError("invalid_input", "steps: expected either steps or the name of a workflow");
      const { runInline, runNamed } = await load();
      const start = steps === undefined ? runNamed(name ?? "", given, options) : runInline(steps, given, options);
      return replyToRun(await start(context));
    },
  });
}
