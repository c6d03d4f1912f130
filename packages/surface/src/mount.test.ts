import { McpServer as FirstServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createSurface, type SurfaceOptions } from "./surface.ts";
import { mount } from "./mount.ts";
import { sample } from "./packs.fixture.ts";
import { wires } from "./wire.fixture.ts";

const packs = [sample()];
const listings: Readonly<Record<string, SurfaceOptions>> = {
  discovery: { packs },
  "discovery-with-sample": { packs, expose: ["core", "sample"] },
  "discovery-read-only": { packs, expose: ["core", "sample"], rights: { readOnly: true } },
  direct: { packs, surface: "direct" },
  "direct-with-core": { packs, surface: "direct", expose: ["core", "sample"] },
  "direct-text": { packs, surface: "direct", results: "text" },
};

describe.each(Object.entries(wires))("over %s", (wire, connect) => {
  const slug = wire.replaceAll(/[^a-z0-9]+/g, "-");

  test.each(Object.entries(listings))("the %s list matches the snapshot", async (name, options) => {
    const { client } = await connect(await createSurface(options));
    const list = await client.listTools();
    await expect(`${JSON.stringify(list, undefined, 2)}\n`).toMatchFileSnapshot(`../snapshots/${name}.${slug}.json`);
    await client.close();
  });

  const noteRead = "note_read(id: string (the note's id), lines?: int (first lines only)): Read one note's text";

  test("list, search, describe and invoke work, and instructions arrive", async () => {
    const { client } = await connect(await createSurface({ packs }));
    expect(client.getInstructions()).toContain("- sample: Notes for tests");
    const found = await client.callTool({ name: "tool_search", arguments: { query: "read a note", limit: 1 } });
    expect(found.content).toEqual([{ type: "text", text: noteRead }]);
    const answer = await client.callTool({ name: "tool_read", arguments: { name: "note_read", args: { id: "n1" } } });
    expect(answer.content).toEqual([{ type: "text", text: "hello" }]);
    expect(answer.structuredContent).toBeUndefined();
    await client.close();
  });

  test("structured: true returns JSON for one call, and direct returns both forms", async () => {
    const { client } = await connect(await createSurface({ packs }));
    const args = { name: "note_read", args: { id: "n1" }, structured: true };
    const answer = await client.callTool({ name: "tool_invoke", arguments: args });
    expect(answer.structuredContent).toEqual({ id: "n1", text: "hello" });
    expect(answer.content).toEqual([{ type: "text", text: '{"id":"n1","text":"hello"}' }]);
    await client.close();

    const direct = await connect(await createSurface({ packs, surface: "direct" }));
    await direct.client.listTools();
    const both = await direct.client.callTool({ name: "note_read", arguments: { id: "n1" } });
    expect(both.structuredContent).toEqual({ id: "n1", text: "hello" });
    expect(both.content).toEqual([{ type: "text", text: "hello" }]);
    const picture = await direct.client.callTool({ name: "note_picture", arguments: {} });
    expect(picture.content).toEqual([{ type: "image", data: "aGk=", mimeType: "image/png" }]);
    expect(picture.structuredContent).toBeUndefined();
    await direct.client.close();
  });

  test("a failure is an error result with its code, in the text and for programs", async () => {
    const { client } = await connect(await createSurface({ packs, surface: "direct", onBug: () => {} }));
    await client.listTools();
    const answer = await client.callTool({ name: "note_read", arguments: { id: 5 } });
    expect(answer.isError).toBe(true);
    expect(answer.content).toEqual([{ type: "text", text: "invalid_input: id: expected string, received number" }]);
    const failure = { code: "invalid_input", message: "id: expected string, received number" };
    expect(answer._meta?.["toolpacks/error"]).toEqual(failure);
    const unknown = await client.callTool({ name: "note_wriet", arguments: {} });
    expect(unknown.isError).toBe(true);
    expect(JSON.stringify(unknown.content)).toContain("Nearest: note_write");
    await client.close();
  });

  test("listChanged is declared false unless the list may change", async () => {
    const fixed = await connect(await createSurface({ packs }));
    expect(fixed.client.getServerCapabilities()?.tools?.listChanged ?? false).toBe(false);
    await fixed.client.close();
    const watched = await connect(await createSurface({ packs }), true);
    expect(watched.client.getServerCapabilities()?.tools?.listChanged).toBe(true);
    await watched.client.close();
  });

  test("update swaps the surface and says whether the list differs", async () => {
    const { client, mounted } = await connect(await createSurface({ packs }), true);
    expect(await mounted.update(await createSurface({ packs, rights: { deny: ["note_write"] } }))).toBe(false);
    expect(await mounted.update(await createSurface({ packs, expose: ["core", "sample"] }))).toBe(true);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("note_read");
    await client.close();
  });
});

describe("mount", () => {
  test.each([
    ["1.x", new FirstServer({ name: "own", version: "1.0.0" })],
    ["2.x", new McpServer({ name: "own", version: "1.0.0" })],
  ])("refuses a %s server with tools of its own, and names them", async (_, server) => {
    const host: { registerTool(name: string, config: object, handler: () => { content: [] }): unknown } = server;
    host.registerTool("mine", { description: "Mine.", inputSchema: z.object({}) }, () => ({ content: [] }));
    await expect(mount(server, { packs })).rejects.toThrow("the server has tools of its own (mine");
  });

  test("accepts a server that declared the tools capability", async () => {
    const server = new McpServer({ name: "own", version: "1.0.0" }, { capabilities: { tools: {} } });
    const { surface } = await mount(server, { packs });
    expect(surface.name).toBe("discovery");
  });
});
