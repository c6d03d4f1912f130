import { defineTool, detail, ToolError, unlisted, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { codeText } from "../definition/step-source.ts";
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
  code: codeText.optional().describe("TypeScript: const f = await tools.fs_read({path}); return f.files[0].text"),
  name: workflowField.optional().meta(detail("a configured workflow, in place of steps")),
  input: runFields.input,
  dryRun: runFields.dryRun.meta(unlisted()),
  readOnly: z.boolean().optional().meta(unlisted("refuse every tool that changes anything")),
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
    effects: { openWorld: true, calls: true },
    // Handles stay closed for the steps' tools. Opened here, their contents would be parsed for expressions.
    takesHandles: ["steps", "code"],
    input,
    output: runOutput,
    text: renderRun,
    handler: async ({ steps, code, name, input: given, ...options }, context) => {
      if ([steps, code, name].filter((one) => one !== undefined).length !== 1)
        throw new ToolError("invalid_input", "steps: expected either steps, code or the name of a workflow");
      const { runInline, runNamed } = await load();
      const start = name === undefined ? runInline({ steps, code }, given, options) : runNamed(name, given, options);
      return replyToRun(await start(context));
    },
  });
}
