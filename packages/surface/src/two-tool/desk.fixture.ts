import { definePack, defineTool, ToolError, type Intent } from "@toolpacks/core";
import { z } from "zod";

/** What a desk's tools did, in order, and with which intent. */
export interface Deeds {
  readonly done: string[];
  readonly intents: (Intent | undefined)[];
  /** How many `desk_wait` run at once, and how many did at most. */
  waiting: number;
  maxWaiting: number;
}

/** A pack whose tools remember what they did, wait, fail, and take a part of the intent. */
export function deskPack() {
  const deeds: Deeds = { done: [], intents: [], waiting: 0, maxWaiting: 0 };
  const title = z.string().max(100).describe("what is on it");
  const pack = definePack({
    name: "desk",
    description: "Papers on a desk.",
    budget: 500,
    tools: () => [
      defineTool({
        name: "desk_put",
        description: "Put a paper on the desk.",
        mutates: true,
        input: z.object({ title, pages: z.int().min(1).max(99).default(1).describe("how many") }),
        output: z.object({ id: z.string(), tags: z.array(z.object({ name: z.string() })) }),
        text: ({ id }) => `paper ${id}`,
        handler: ({ title: on }, { intent }) => {
          deeds.done.push(on);
          deeds.intents.push(intent);
          return { id: `p${deeds.done.length}`, tags: [{ name: on.toUpperCase() }] };
        },
      }),
      defineTool({
        name: "desk_file",
        description: "File a paper for a goal.",
        mutates: true,
        fromIntent: { goal: "goal", project: "workspaceId" },
        input: z.object({
          id: z.string().max(100).describe("the paper's"),
          goal: z.string().max(1_000).describe("what for"),
          project: z.string().max(100).describe("where"),
        }),
        output: z.object({ filed: z.string() }),
        handler: ({ id, goal, project }) => {
          if (id === "lost") throw new ToolError("not_found", "id: no paper lost", "There is p1.");
          deeds.done.push(`filed ${id}`);
          return { filed: `${id} for ${goal} in ${project}` };
        },
      }),
      defineTool({
        name: "desk_wait",
        description: "Wait until it is cancelled, or a moment.",
        mutates: false,
        input: z.object({ ms: z.int().min(0).max(60_000).describe("milliseconds") }),
        output: z.object({ waited: z.int() }),
        handler: async ({ ms }, { signal }) => {
          deeds.waiting += 1;
          deeds.maxWaiting = Math.max(deeds.maxWaiting, deeds.waiting);
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, ms);
            signal.addEventListener("abort", () => (clearTimeout(timer), resolve()));
          });
          deeds.waiting -= 1;
          signal.throwIfAborted();
          return { waited: ms };
        },
      }),
    ],
  })();
  return { pack, deeds };
}
