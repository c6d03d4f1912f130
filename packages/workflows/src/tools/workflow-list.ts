import { defineTool, listSchema, renderList, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { ownTool } from "../definition/own-tool.ts";
import { objectSchema } from "../definition/shorthand.ts";
import type { Operations } from "../operations.ts";

const item = z.object({
  name: z.string(),
  description: z.string(),
  steps: z.int().describe("how many"),
  input: z.record(z.string(), z.unknown()).optional().describe("JSON Schema of its input"),
  tool: z.string().optional().describe("its own tool, where it has one"),
});

const output = listSchema(item);

/** `workflow_list`: the configured workflows. */
export function workflowList(load: () => Promise<Operations>): Tool {
  return defineTool({
    name: "workflow_list",
    description: "List the configured workflows.",
    keywords: ["which workflows are there", "routine", "recipes", "automations"],
    aliases: ["routine_list"],
    examples: [{ args: {} }],
    mutates: false,
    input: z.object({}),
    output,
    text: (page) => renderList(page, line),
    handler: async () => {
      const { library } = (await load()).engine;
      const items = Object.entries(library.sources).map(([name, source]) => {
        const { description = name, steps, input } = source;
        const tool = ownTool(name, source);
        return {
          name,
          description,
          steps: steps.length,
          ...(input && { input: { ...objectSchema(input, `workflows.${name}.input`) } }),
          ...(tool !== undefined && { tool }),
        };
      });
      return { items, total: items.length };
    },
  });
}

function line({ name, description, steps, input }: z.output<typeof item>): string {
  const fields = input?.["properties"];
  const shown = fields === undefined ? "" : ` input ${JSON.stringify(fields)}`;
  return `${name}: ${description} (${steps} steps)${shown}`;
}
