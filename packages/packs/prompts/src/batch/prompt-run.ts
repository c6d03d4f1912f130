import { defineTool, failedReply, ToolError, type Tool, type ToolContext } from "@toolpacks/core";
import { batchInput } from "./batch-input.ts";
import { batchOutput, readBatch, renderBatch, requireBatch, type BatchAnswer } from "./batch-answer.ts";
import { batchSteps } from "./batch-steps.ts";
import { checkBatch } from "./check-batch.ts";
import { planBatch } from "./plan-batch.ts";
import type { PromptServices } from "./prompt-step.ts";
import { callTool } from "./read-value.ts";

/** `prompt_run`: asks models a batch of prompts. The batch runs as a workflow, whose report it leaves. */
export function promptRun({ store, models }: PromptServices): Tool {
  return defineTool({
    name: "prompt_run",
    description: "Ask models prompts, stored or written out; keep answers in files or records.",
    keywords: ["batch", "llm", "generate", "summarize", "run prompts", "chain", "ask model", "template"],
    examples: [
      {
        say: "sum up two files, then compare the sums in notes/both.md",
        args: {
          prompts: [
            { id: "a", text: "Sum up:\n{{file}}", files: { file: "a.md" }, task: "summarize" },
            { id: "b", text: "Sum up:\n{{file}}", files: { file: "b.md" }, task: "summarize" },
            {
              group: 2,
              text: "Compare {{one}} with {{two}}.",
              answers: { one: "a", two: "b" },
              to: { file: "notes/both.md" },
            },
          ],
        },
      },
    ],
    mutates: true,
    effects: { openWorld: true, calls: true },
    input: batchInput,
    output: batchOutput,
    text: renderBatch,
    async handler({ prompts, dryRun = false, resume }, context) {
      if ((prompts === undefined) === (resume === undefined))
        throw new ToolError("invalid_input", "prompts: expected either prompts or a report to resume");
      if (resume !== undefined && dryRun) throw new ToolError("invalid_input", "dryRun: a resumed batch has none");
      if (!dryRun) await requireTools(context);
      if (prompts === undefined) {
        await requireBatch(String(resume), context);
        return reply(await readBatch(await callTool("workflow_run", { resume }, context), context));
      }
      const checked = await checkBatch(prompts, { store, models }, context);
      if (dryRun) return planBatch(checked, models, context);
      const run = { ...batchSteps(checked), onError: "continue" };
      return reply(await readBatch(await callTool("workflow_eval", run, context), context));
    },
  });
}

/** The tools that run a batch, go on with it, and read its answers. */
const neededTools = ["workflow_eval", "workflow_run", "workflow_report"];

/** @throws ToolError that says which tool a batch lacks */
async function requireTools({ access }: ToolContext): Promise<void> {
  for (const name of neededTools) {
    const found = await access?.resolve(name);
    if (found === undefined || !("failure" in found)) continue;
    const hint = `A batch runs as a workflow, so it needs ${neededTools.join(", ")} on the same server.`;
    throw new ToolError(found.failure.code, found.failure.message, hint);
  }
}

/** A batch with a prompt that failed is a failure that holds all answers. */
function reply(answer: BatchAnswer) {
  const failed = answer.prompts.filter(({ error }) => error !== undefined);
  const [first] = failed;
  if (first === undefined) return answer;
  const message = `${failed.length} of ${answer.prompts.length} prompts failed or were not kept; ${first.id}: ${first.error}`;
  const hint = `prompt_run {"resume": "${answer.report}"} tries them again.`;
  const text = renderBatch(answer);
  return failedReply([{ type: "text", text }], { code: "unavailable", message, hint }, answer);
}
