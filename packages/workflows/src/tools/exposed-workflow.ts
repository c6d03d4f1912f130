import { defineForeignTool, reply, type Tool } from "@toolpacks/core";
import type { Operations } from "../operations.ts";
import { answerRun, renderRun } from "../report/answer.ts";

/** A workflow as a tool of its own: `workflow_<name>`, with its input as the tool's. */
export async function exposedWorkflow({ engine, runNamed }: Operations, name: string): Promise<Tool> {
  const { description, input } = await engine.library.find(name);
  return defineForeignTool({
    name: `workflow_${name}`,
    description,
    keywords: ["workflow", name],
    mutates: true,
    effects: { openWorld: true },
    inputSchema: input?.json ?? { type: "object", properties: {} },
    handler: async (given, context) => {
      const answer = answerRun(await runNamed(name, given, {})(context));
      return reply([{ type: "text", text: renderRun(answer) }], answer);
    },
  });
}
