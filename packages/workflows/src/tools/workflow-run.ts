import { defineTool, detail, ToolError, type Tool } from "@toolpacks/core";
import { z } from "zod";
import type { Library } from "../definition/library.ts";
import type { Operations } from "../operations.ts";
import { renderRun, replyToRun, runOutput } from "../report/answer.ts";
import { workflowUses } from "./workflow-uses.ts";
import { reportField, runFields, workflowField } from "./run-options.ts";

const input = z.object({
  name: workflowField.optional().describe("a configured workflow"),
  ...runFields,
  resume: reportField.optional().describe("a report's id: go on with what did not finish"),
  answer: z.unknown().optional().describe("to the resumed run's question"),
  step: z.string().min(1).max(900).optional().meta(detail("the step that asks, if several do")),
});

/** `workflow_run`: runs a configured workflow, or resumes a run that ended early. */
export function workflowRun(load: () => Promise<Operations>, sources: Library["sources"]): Tool {
  const tool = defineTool({
    name: "workflow_run",
    description: "Run a configured workflow, or resume a run.",
    keywords: ["start", "execute", "continue", "resume", "routine"],
    aliases: ["routine_run"],
    examples: [{ say: "audit the project", args: { name: "project_audit" } }],
    mutates: true,
    effects: { openWorld: true, calls: true },
    input,
    output: runOutput,
    text: renderRun,
    handler: async ({ name, resume, answer, step, input: given, ...options }, context) => {
      if ((name === undefined) === (resume === undefined))
        throw new ToolError("invalid_input", "name: expected either a workflow's name or a report to resume");
      const changed = Object.entries({ input: given, ...options }).find(([, value]) => value !== undefined);
      if (resume !== undefined && changed !== undefined)
        throw new ToolError("invalid_input", `${changed[0]}: a resumed run keeps its options`);
      if (resume === undefined && answer !== undefined)
        throw new ToolError("invalid_input", "answer: expected the report to resume as well");
      const { runNamed, resume: resumeRun } = await load();
      const start =
        resume === undefined ? runNamed(name ?? "", given, options) : resumeRun({ report: resume, answer, step });
      return replyToRun(await start(context));
    },
  });
  return { ...tool, uses: () => workflowUses(tool, sources) };
}
