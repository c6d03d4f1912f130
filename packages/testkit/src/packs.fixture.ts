import { setTimeout as sleep } from "node:timers/promises";
import { defineForeignTool, definePack, defineTool, type Pack, type PackDefinition, type Tool } from "@toolpacks/core";
import { z } from "zod";

const text = z.string().max(50);

/** A tool that keeps every rule, with these fields replaced. */
export function tool(changes: Partial<Tool> = {}): Tool {
  const good = defineTool({
    name: "box_look",
    description: "Look into the box.",
    mutates: false,
    examples: [{ args: { item: "key" } }],
    input: z.object({ item: text.describe("what to look for"), deep: z.boolean().optional().describe("below too") }),
    output: z.object({ found: z.boolean() }),
    handler: ({ item }) => ({ found: item === "key" }),
  });
  return { ...good, ...changes };
}

/** A tool with this input. */
export function toolTaking(input: z.ZodObject): Tool {
  return defineTool({
    name: "box_look",
    description: "Look.",
    mutates: false,
    input,
    output: z.object({}),
    handler: () => ({}),
  });
}

/** A tool whose input is a JSON Schema, not a zod schema. */
export function foreignTool(inputSchema: Readonly<Record<string, unknown>>): Tool {
  return defineForeignTool({
    name: "box_look",
    description: "Look.",
    mutates: false,
    inputSchema,
    handler: () => ({}),
  });
}

type Settings = Partial<Pick<PackDefinition<z.ZodUnknown>, "description" | "instructions" | "budget">>;

export function packOf(tools: () => readonly Tool[], settings: Settings = {}): Pack {
  return definePack({ name: "box", description: "A box.", budget: 300, ...settings, tools })();
}

/** A pack that keeps every rule, and the box that it fills. */
export function goodPack(box = new Set(["key"])) {
  const put = defineTool({
    name: "box_put",
    description: "Put an item into the box.",
    mutates: true,
    examples: [{ args: { item: "coin" } }],
    input: z.object({ item: text.describe("what to put") }),
    output: z.object({ size: z.int() }),
    handler: ({ item }) => ({ size: box.add(item).size }),
  });
  const wait = defineTool({
    name: "box_wait",
    description: "Wait until an item is in the box; only the lid takes long.",
    mutates: false,
    examples: [{ args: { item: "key" } }],
    input: z.object({ item: text.describe("what to wait for") }),
    output: z.object({ waited: z.boolean() }),
    handler: async ({ item }, { signal, progress }) => {
      await progress(1, 1);
      if (item === "lid") await sleep(5_000, undefined, { signal });
      return { waited: true };
    },
  });
  return { pack: packOf(() => [tool(), put, wait]), fingerprint: () => [...box] };
}
