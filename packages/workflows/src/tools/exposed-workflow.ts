import { defineForeignTool, isReply, reply, type Tool } from "@toolpacks/core";
import type { Operations } from "../operations.ts";
import { renderRun, replyToRun } from "../report/answer.ts";

/** Creates a workflow's own tool. The tool's input is the workflow's. */
export async function exposedWorkflow({ engine, runNamed }: Operations, name: string, tool: string): Promise<Tool> {
  const { description, input } = await engine.library.find(name);
  return defineForeignTool({
    name: tool,
    description,
    keywords: ["workflow", name],
    mutates: true,
    effects: { openWorld: true, calls: true },
    inputSchema: input?.full() ?? { type: "object", properties: {} },
    handler: async (given, context) => {
      const answer = replyToRun(await runNamed(name, given, {})(context));
      if (isReply(answer)) return answer;
      return reply([{ type: "text", text: renderRun(answer) }], answer);
    },
  });
}
