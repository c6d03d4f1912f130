import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { createPack, defineForeignTool, failedReply, reply, type CallToolResult, type Pack } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSurface } from "./surface.ts";
import { wires } from "./wire.fixture.ts";

const toolMeta = { ui: { resourceUri: "ui://chart/view" } };
const resultMeta = { "example/points": [1, 2] };

/** A tool as one of another server: with `_meta` in lists and in results, also in those of a failure. */
function chart(): Pack {
  const tool = defineForeignTool({
    name: "chart_show",
    description: "Show a chart.",
    mutates: false,
    media: true,
    inputSchema: { type: "object", properties: { fails: { type: "boolean" } } },
    handler: ({ fails }) => {
      const blocks = [{ type: "text" as const, text: "a chart" }];
      const result = fails === true ? failedReply(blocks, { code: "internal", message: "no data" }) : reply(blocks);
      return { ...result, meta: resultMeta };
    },
  });
  const tools = [{ ...tool, meta: toolMeta }];
  return createPack({ name: "chart", description: "Charts.", budget: 100, tools: () => Promise.resolve(tools) });
}

describe.each(Object.entries(wires))("the _meta of a tool's result on %s", (_, connect) => {
  const call = async (options: Parameters<typeof createSurface>[0], name: string, args: object) => {
    const { client } = await connect(await createSurface(options));
    onTestFinished(() => client.close());
    return (await client.callTool({ name, arguments: { ...args } })) as unknown as CallToolResult;
  };

  test("is that of the call on the discovery surface, also if the call fails", async () => {
    const packs = [chart()];
    for (const name of ["tool_invoke", "tool_read"]) {
      const done = await call({ packs }, name, { name: "chart_show" });
      expect(done).toMatchObject({ _meta: resultMeta });
      const failed = await call({ packs }, name, { name: "chart_show", args: { fails: true } });
      expect(failed).toMatchObject({
        isError: true,
        _meta: { ...resultMeta, "toolpacks/error": { code: "internal" } },
      });
    }
  });

  test("is that of a single call on the two-tool surface", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "meta-"));
    const store = sqlite(path.join(folder, "store.db"));
    onTestFinished(async () => {
      await store.end();
      rmSync(folder, { recursive: true });
    });
    const context = { workspaceId: "default", sessionId: "one", memory: "nothing yet", goal: "see a chart" };
    const show = { pack: "chart", tool: "show", params: {} };
    const options = { packs: [chart()], surface: "two-tool", twoTool: { store } } as const;
    expect(await call(options, "useTools", { context, calls: [show] })).toMatchObject({ _meta: resultMeta });
    const two = await call(options, "useTools", { context, calls: [show, show] });
    expect(two._meta ?? {}).not.toHaveProperty(["example/points"]);
  });
});

test("a pack lists the _meta of a tool on a server that it is registered on", async () => {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  await chart().registerWith(server);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools).toMatchObject([{ name: "chart_show", _meta: toolMeta }]);
  expect(await client.callTool({ name: "chart_show", arguments: {} })).toMatchObject({ _meta: resultMeta });
});
