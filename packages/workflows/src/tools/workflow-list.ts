import { defineTool, listSchema, maskText, renderList, type Tool } from "@toolpacks/core";
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

const waiting = z.object({
  report: z.string().describe("its id: workflow_run {resume} goes on, with an answer to its question"),
  workflow: z.string(),
  since: z.string(),
  waits: z.string().describe("what it waits for"),
});

/** Maximum number of waiting runs in the list, the newest first. */
const maxWaiting = 50;

const output = listSchema(item).extend({
  waiting: z.array(waiting).optional(),
  moreWaiting: z.int().optional().describe("waiting runs that are not listed"),
});

/** `workflow_list`: the configured workflows. */
export function workflowList(load: () => Promise<Operations>): Tool {
  return defineTool({
    name: "workflow_list",
    description: "List the configured workflows, and runs that wait.",
    keywords: ["which workflows are there", "routine", "recipes", "automations"],
    aliases: ["routine_list"],
    examples: [{ args: {} }],
    mutates: false,
    input: z.object({}),
    output,
    text: ({ waiting: runs = [], moreWaiting, ...page }) =>
      [
        renderList(page, line),
        ...runs.map(
          ({ report, workflow, since, waits }) => `waiting since ${since}: ${workflow}, report ${report}, ${waits}`,
        ),
        ...(moreWaiting === undefined ? [] : [`and ${moreWaiting} more that wait`]),
      ].join("\n"),
    handler: async (_input, { principal }) => {
      const { library, store } = (await load()).engine;
      const { waitingRuns } = await import("../report/read-report.ts");
      const waits = await waitingRuns(store, principal, maxWaiting);
      const runs = waits.items.map(({ id, data: { workflow, started, ended = started, reason = "" } }) => {
        return { report: id, workflow, since: ended, waits: maskText(reason) };
      });
      const items = Object.entries(library.sources).map(([name, source]) => {
        const { description = name, steps, input } = source;
        return {
          name,
          description,
          steps: steps.length,
          input: input && { ...objectSchema(input, `workflows.${name}.input`) },
          tool: ownTool(name, source),
        };
      });
      return {
        items,
        total: items.length,
        ...(runs.length > 0 && { waiting: runs }),
        ...(waits.total > runs.length && { moreWaiting: waits.total - runs.length }),
      };
    },
  });
}

function line({ name, description, steps, input }: z.output<typeof item>): string {
  const fields = input?.["properties"];
  const shown = fields === undefined ? "" : ` input ${JSON.stringify(fields)}`;
  return `${name}: ${description} (${steps} steps)${shown}`;
}
