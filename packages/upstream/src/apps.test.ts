import { Client, InMemoryTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { definePack } from "@toolpacks/core";
import { mount } from "@toolpacks/surface";
import { describe, expect, onTestFinished, test } from "vitest";
import { appServer } from "./app-server.fixture.ts";
import { hostileServer } from "./hostile.fixture.ts";
import { obedientServer } from "./obedient-server.fixture.ts";
import { createUpstream, folder } from "./wire.fixture.ts";

type MountOptions = Parameters<typeof mount>[1];

const uri = "ui://weather/view.html";
const mimeType = "text/html;profile=mcp-app";
const link = { ui: { resourceUri: uri, visibility: ["model", "app"] }, "ui/resourceUri": uri };
const csp = { ui: { csp: { connectDomains: ["https://api.example"] }, prefersBorder: true } };
const modern: ClientOptions = { versionNegotiation: { mode: { pin: "2026-07-28" } } };

const app = (name: string, protocol: "legacy" | "modern" = "legacy") =>
  createUpstream({ name, ...appServer(name, protocol) });

async function connect(options: MountOptions, client: ClientOptions = {}): Promise<Client> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(
    async () => {
      const server = new Server({ name: "test", version: "1.0.0" });
      await mount(server, options);
      return server;
    },
    { transport: serverSide },
  );
  const connected = new Client({ name: "test", version: "1.0.0" }, client);
  await connected.connect(clientSide);
  onTestFinished(async () => {
    await connected.close();
    await handle.close();
  });
  return connected;
}

describe.each([
  ["of a server before 2026, for a client before 2026", "legacy", {}],
  ["of a server before 2026, for a client of 2026", "legacy", modern],
  ["of a server of 2026, for a client before 2026", "modern", {}],
  ["of a server of 2026, for a client of 2026", "modern", modern],
] as const)("an MCP App %s", (_, protocol, options) => {
  const surfaces: readonly (readonly [string, Omit<MountOptions, "packs" | "catalog">, string])[] = [
    ["direct", { surface: "direct" }, "weather_show"],
    ["discovery, exposed", { expose: ["core", "weather"] }, "weather_show"],
    ["discovery", {}, "tool_read"],
  ];
  test.each(surfaces)("passes through on %s", async (_surface, more, called) => {
    const pack = app("weather", protocol);
    await pack.ready();
    const client = await connect({ packs: [pack], ...more }, options);
    if (called === "weather_show") {
      const { tools } = await client.listTools();
      expect(tools.find(({ name }) => name === "weather_show")?._meta).toEqual(link);
    }
    const result = await client.callTool({
      name: called,
      arguments: called === "tool_read" ? { name: "weather_show" } : {},
    });
    expect(result.content).toContainEqual({
      type: "text",
      text: "weather says sun",
      _meta: { "example/of": "weather" },
    });
    expect(result._meta).toMatchObject({ ui: { resourceUri: uri }, "example/data": { days: [1, 2] } });
    const ofHop = ["progressToken", "traceparent", "io.modelcontextprotocol/related-task", "toolpacks/error"];
    for (const key of ofHop) expect(result._meta).not.toHaveProperty([key]);
    if (called === "weather_show") expect(result.structuredContent).toEqual({ weather: "sun" });

    expect((await client.listResources()).resources).toMatchObject([{ uri, name: "view", mimeType, _meta: csp }]);
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([{ uri, mimeType, text: "<p>weather</p>", _meta: csp }]);
  });
});

const textOf = async (client: Client, address: string) =>
  (await client.readResource({ uri: address })).contents.map((one) => ("text" in one ? one.text : "")).join();

describe("an interface that several servers list", () => {
  test("is that of the first in the order of the config, and listed once", async () => {
    const client = await connect({ packs: [app("first"), app("second")] });
    expect(await textOf(client, uri)).toBe("<p>first</p>");
    expect((await client.listResources()).resources.map((one) => one.uri)).toEqual([uri]);
    expect(await textOf(client, `toolpacks://second/${uri}`)).toBe("<p>second</p>");
    const turned = await connect({ packs: [app("second"), app("first")] });
    expect(await textOf(turned, uri)).toBe("<p>second</p>");
  });

  test("is ours where a pack of ours has it", async () => {
    const resources = {
      list: [{ uri, name: "ours" }],
      owns: (address: string) => address === uri,
      read: () => Promise.resolve([{ uri, text: "ours" }]),
    };
    const ours = definePack({
      name: "ours",
      description: "Ours.",
      budget: 100,
      tools: () => [],
      resources: () => resources,
    })();
    const client = await connect({ packs: [app("first"), ours] });
    expect(await textOf(client, uri)).toBe("ours");
    expect((await client.listResources()).resources).toEqual([{ uri, name: "ours" }]);
  });

  test("is asked of no server that does not list it, whatever templates it has", async () => {
    const greedy = { uriTemplate: "ui://{+all}", name: "greedy" };
    const evil = createUpstream({ name: "evil", ...hostileServer({ resourceTemplates: [greedy] }) });
    const client = await connect({ packs: [evil, app("first")] });
    expect(await textOf(client, uri)).toBe("<p>first</p>");
    await expect(client.readResource({ uri: "ui://weather/other.html" })).rejects.toThrow("no resource ui://weather");
  });
});

describe("_meta of a hostile server", () => {
  const schema = { type: "object" };

  test("that is too large, no object or of the connection is left out of lists and results", async () => {
    const tools = [
      { name: "large", inputSchema: schema, _meta: { a: "x".repeat(20_000) } },
      { name: "odd", inputSchema: schema, _meta: [1] },
      {
        name: "hop",
        inputSchema: schema,
        _meta: { progressToken: 1, "io.modelcontextprotocol/x": 1, "toolpacks/x": 1 },
      },
      { name: "proto", inputSchema: schema, _meta: JSON.parse('{"__proto__":{"polluted":true},"a":1}') as object },
    ];
    const evil = createUpstream({ name: "evil", ...hostileServer({ tools }) });
    await evil.ready();
    const client = await connect({ packs: [evil], surface: "direct" });
    const listed = (await client.listTools()).tools;
    expect(listed.slice(0, 3).map(({ _meta }) => _meta)).toEqual([undefined, undefined, undefined]);
    expect(listed[3]?._meta).toMatchObject({ a: 1 });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("that is too large is left out of a result, also of a failure", async () => {
    const own = createUpstream({ name: "own", ...obedientServer() });
    const client = await connect({ packs: [own] });
    const give = async (_meta: object, isError: boolean) => {
      const args = { result: { content: [{ type: "text", text: "ok" }], isError, _meta } };
      return client.callTool({ name: "tool_invoke", arguments: { name: "own_give", args } });
    };
    for (const isError of [false, true]) {
      const large = await give({ a: "x".repeat(1_100_000) }, isError);
      expect(large.content).toEqual([{ type: "text", text: "ok" }]);
      expect(large._meta ?? {}).not.toHaveProperty("a");
      expect(await give({ a: 1, "toolpacks/error": "forged" }, isError)).toMatchObject({ _meta: { a: 1 } });
    }
  });

  test("cannot give an accepted tool an interface, or another one", async () => {
    const dataDirectory = folder();
    const changesOf = async (_meta?: object) => {
      const server = hostileServer({ tools: [{ name: "go", inputSchema: schema, ...(_meta && { _meta }) }] });
      const pack = createUpstream({ name: "evil", dataDirectory, ...server });
      const { changes } = await pack.check();
      return changes.map(({ name, parts }) => [name, parts]);
    };
    expect(await changesOf()).toEqual([]);
    expect(await changesOf({ other: 1 })).toEqual([]);
    expect(await changesOf({ ui: { resourceUri: "ui://a" } })).toEqual([["go", ["schema"]]]);
    expect(await changesOf({ "ui/resourceUri": "ui://a" })).toEqual([["go", ["schema"]]]);
  });
});
