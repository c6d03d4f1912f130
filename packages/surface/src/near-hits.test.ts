import { defineForeignTool, definePack, defineTool, type Pack } from "@toolpacks/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createSurface } from "./surface.ts";
import { wires } from "./wire.fixture.ts";

const id = z.string().max(20).describe("as kettle_list answers it, such as k1");

function kettleTool(name: string, description: string) {
  return defineTool({
    name,
    description,
    mutates: false,
    input: z.object({ id, since: z.string().max(40).optional().describe("from then on: a date such as 2027-01-31") }),
    output: z.object({ kettle: z.object({ id: z.string(), litres: z.number(), temperature: z.number() }) }),
    handler: () => ({ kettle: { id: "k1", litres: 1, temperature: 20 } }),
  });
}

const kettles = definePack({
  name: "kettles",
  description: "Kettles.",
  budget: 1_000,
  tools: () => [
    kettleTool("kettle_boil", "Boil the water of a kettle."),
    kettleTool("kettle_cool", "Cool the water of a kettle."),
    kettleTool("kettle_polish", "Polish the copper lid of a kettle with sand, wax and a soft dry cloth."),
  ],
});

const foreign = definePack({
  name: "boats",
  description: "Boats.",
  budget: 1_000,
  tools: () => [
    defineForeignTool({
      name: "boats_clean",
      description: "Clean a boat with wax and a cloth.",
      mutates: true,
      inputSchema: { type: "object", properties: { boat: { type: "string" }, layers: { type: "integer" } } },
      handler: () => ({}),
    }),
  ],
});

async function ask(name: string, args: Record<string, unknown>, packs: readonly Pack[] = [kettles(), foreign()]) {
  const { client } = await wires["sdk 2, protocol 2026-07-28"](await createSurface({ packs }));
  onTestFinished(() => client.close());
  const { content } = await client.callTool({ name, arguments: args });
  return (content as readonly { readonly text: string }[]).map(({ text }) => text).join("\n");
}

const full =
  "id: string (as kettle_list answers it, such as k1), since?: string (from then on: a date such as 2027-01-31)";

test("a hit that is about as good as the best one is ready to call, without the notes that the best one has", async () => {
  const answer = await ask("tool_search", { query: "water of a kettle", limit: 2 });
  expect(answer.split("\n")).toEqual([
    `kettle_boil(${full}): Boil the water of a kettle`,
    "kettle_cool(id: string, since?: string): Cool the water of a kettle",
  ]);
});

test("another server's tool is a name and a few words beside a better one of ours", async () => {
  const query = ["boil the water of a kettle", "cloth and wax for a kettle"];
  const answer = await ask("tool_search", { query });
  expect(answer).toContain("2. cloth and wax…\nkettle_polish(id: string, since?: string): Polish the copper lid");
  expect(answer).toMatch(/^boats_clean\(…\) \[mutates\]: Clean a boat with wax and…$/m);
});

test("tool_describe says a result once that several tools return", async () => {
  const answer = await ask("tool_describe", { name: ["kettle_boil", "kettle_cool"] });
  expect(answer.match(/returns .*/g)).toEqual([
    "returns kettle{id,litres,temperature}",
    "returns the same as kettle_boil",
  ]);
});
