import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { definePack, defineTool, reply } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { connect, documents, relayedSurface } from "./server.fixture.ts";

const rows = JSON.stringify(Array.from({ length: 3_000 }, (_, at) => ({ number: at, title: `Title ${at}` })));

/** A tool that answers a large JSON as text alone, as many other servers do. */
const tracker = definePack({
  name: "tracker",
  description: "Issues of another server.",
  budget: 100,
  tools: () => [
    defineTool({
      name: "tracker_list",
      description: "List issues.",
      mutates: false,
      input: z.object({}),
      output: z.looseObject({}),
      handler: () => reply([{ type: "text", text: rows }]),
    }),
  ],
});

async function connected(surfaceName: "discovery" | "two-tool") {
  const folder = mkdtempSync(path.join(tmpdir(), "json-batch-"));
  const store = sqlite(path.join(folder, "store.db"));
  const given: unknown[] = [];
  const surface = await relayedSurface(
    [documents(given), tracker()],
    { store },
    { surface: surfaceName, twoTool: { store } },
  );
  const client = await connect(surface);
  onTestFinished(async () => {
    await client.close();
    await store.end();
    rmSync(folder, { recursive: true });
  });
  return { client, given };
}

const content = "${steps.s1[2998].title}\n${steps.s1[2999].title}";
const context = { sessionId: "s", memory: "none", goal: "test" };

test.each([
  [
    "discovery" as const,
    "tool_invoke",
    {
      calls: [
        { name: "tracker_list", args: {} },
        { name: "doc_write", args: { content } },
      ],
    },
  ],
  [
    "two-tool" as const,
    "useTools",
    {
      context,
      calls: [
        { pack: "tracker", tool: "list", params: {} },
        { pack: "documents", tool: "write", params: { content } },
      ],
    },
  ],
])("rows of a boxed JSON text go from call to call on %s", async (surfaceName, name, args) => {
  const { client, given } = await connected(surfaceName);
  const result = await client.callTool({ name, arguments: args });
  expect(given).toEqual([{ content: "Title 2998\nTitle 2999" }]);
  expect(JSON.stringify(result.content).length).toBeLessThan(5_000);
  expect(JSON.stringify(result.content)).toContain("relay://");
});
