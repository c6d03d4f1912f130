import { defineForeignTool, reply, type Tool } from "@toolpacks/core";
import type { Workflow } from "../definition/workflow.ts";
import type { Engine } from "../engine/run.ts";
import { runWorkflow } from "../engine/run-workflow.ts";
import { answerRun, renderRun } from "../report/answer.ts";

/** A workflow as a tool of its own: `workflow_<name>`, with its input as the tool's. */
export function exposedWorkflow(engine: Engine, workflow: Workflow): Tool {
  return defineForeignTool({
    name: `workflow_${workflow.name}`,
    description: workflow.description,
    keywords: ["workflow", workflow.name],
    mutates: true,
    effects: { openWorld: true },
    inputSchema: workflow.input?.json ?? { type: "object", properties: {} },
    handler: async (input, context) => {
      const answer = answerRun(await runWorkflow(engine, { workflow, inline: false, input, options: {} }, context));
      return reply([{ type: "text", text: renderRun(answer) }], answer);
    },
  });
}
