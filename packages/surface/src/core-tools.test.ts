import { definePack, defineTool } from "@toolpacks/core";
import { fuzzPack, packContract, type ExampleCalls, type PackUnderTest } from "@toolpacks/testkit";
import { expect, test } from "vitest";
import { z } from "zod";
import { createSurface } from "./surface.ts";

/** A tool that reads and a tool that writes. */
const counter = definePack({
  name: "counter",
  description: "Counts.",
  budget: 200,
  options: z.object({ state: z.object({ count: z.int() }) }),
  tools: ({ state }) => [
    defineTool({
      name: "count_read",
      description: "Tell the count.",
      mutates: false,
      input: z.object({}),
      output: z.object({ count: z.int() }),
      handler: () => ({ count: state.count }),
    }),
    defineTool({
      name: "count_add",
      description: "Add to the count.",
      mutates: true,
      input: z.object({ by: z.int().min(1).max(10).describe("how much") }),
      output: z.object({ count: z.int() }),
      handler: ({ by }) => ({ count: (state.count += by) }),
    }),
  ],
});

/** The discovery entries, over a counter that only what mutates may change. */
async function coreUnderTest(): Promise<PackUnderTest> {
  const surface = await createSurface({ packs: [counter({ state: { count: 0 } })], onBug: () => {} });
  const read = async () => surface.dispatcher.dispatch({ name: "count_read" });
  return { pack: surface.corePack, fingerprint: async () => JSON.stringify(await read()) };
}

const examples: ExampleCalls = {
  tool_search: [{ query: "count" }, { query: ["count", "add", "count"] }, { query: "add", limit: 1, facet: "counter" }],
  tool_describe: [{ name: "count_add", schema: true }, { name: ["count_add", "count_read"] }],
  tool_read: [{ name: "count_read" }, { name: "count_read", args: {}, structured: true }],
  tool_invoke: [
    { name: "count_add", args: { by: 2 } },
    { name: "count_add", args: '{"by":3}' },
  ],
};

packContract(coreUnderTest, { examples, snapshots: "../snapshots/core" });

test("every discovery entry answers 3,000 generated argument objects with a result or an error of a known code", async () => {
  expect(await fuzzPack(coreUnderTest, { runs: 3_000, seed: 20_000, examples })).toEqual([]);
}, 300_000);
