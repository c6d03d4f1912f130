import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { definePack, defineTool, reply } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { attach, createSurface } from "@toolpacks/surface";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { serverRelay } from "./server-relay.ts";
import { documents } from "./server.fixture.ts";

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

async function connect(surfaceName: "discovery" | "two-tool") {
  const folder = mkdtempSync(path.join(tmpdir(), "json-batch-"));
  const store = sqlite(path.join(folder, "store.db"));
  const given: unknown[] = [];
  const relay = serverRelay({ store });
  const surface = await createSurface({
    packs: [documents(given), tracker(), relay.pack],
    interceptors: [relay.interceptor],
    surface: surfaceName,
    twoTool: { store, checkHandles: relay.check },
  });
  const server = new McpServer({ name: "test", version: "1.0.0" });
  attach(server, surface);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(clientSide);
  onTestFinished(async () => {
    await client.close();
    await store.end();
    rmSync(folder, { recursive: true });
  });
  return { client, given };
}

const content = '${steps.s1.filter(r, r.number > 2997).map(r, r.title).join("\\n")}';
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
  const { client, given } = await connect(surfaceName);
  const result = await client.callTool({ name, arguments: args });
  expect(given).toEqual([{ content: "Title 2998\nTitle 2999" }]);
  expect(JSON.stringify(result.content).length).toBeLessThan(5_000);
  expect(JSON.stringify(result.content)).toContain("relay://");
});
