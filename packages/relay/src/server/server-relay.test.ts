import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as FirstTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as FirstServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { OwnedStore, Pack } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { attach, createSurface, type Surface, type SurfaceOptions } from "@toolpacks/surface";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { serverRelay, type ServerRelayOptions } from "./server-relay.ts";
import { ask, connect, documents, handleIn, longText, recorder, relayedSurface, textOf } from "./server.fixture.ts";

let folder = "";
let store: OwnedStore;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "server-relay-"));
  store = sqlite(path.join(folder, "store.db"));
});

afterAll(async () => {
  await store.end();
  await rm(folder, { recursive: true });
});

async function relayed(options: ServerRelayOptions = {}, more: Partial<SurfaceOptions> = {}) {
  const given: unknown[] = [];
  const { seen, interceptor } = recorder();
  const interceptors = [interceptor];
  const surface = await relayedSurface(
    [documents(given)],
    { store, ...options },
    { interceptors, twoTool: { store }, ...more },
  );
  return { given, seen, surface };
}

async function connectFirst(surface: Surface) {
  const server = new FirstServer({ name: "test", version: "1.0.0" });
  attach(server, surface);
  const [clientSide, serverSide] = FirstTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new FirstClient({ name: "test", version: "1.0.0" });
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  return client as unknown as Asking &
    Pick<Client, "readResource" | "listTools" | "listResources" | "listResourceTemplates">;
}

type Asking = Pick<Client, "callTool">;

const read = (client: Asking, name: string, more: { args?: object; structured?: boolean } = {}) =>
  ask(client, "tool_read", { name, ...more });

describe.each([
  ["sdk 1", connectFirst],
  ["sdk 2", connect],
] as const)("the discovery surface on %s", (_name, connectWith) => {
  test("boxes a large text and links to it, and a client reads the whole text as a resource", async () => {
    const { surface } = await relayed();
    const client = await connectWith(surface);
    const result = await read(client, "doc_read", { args: { path: "a" } });
    const handle = handleIn(result);
    expect(result.content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
    expect(encode(JSON.stringify(result)).length).toBeLessThan(220);
    expect(result.content[1]).toMatchObject({ uri: handle, name: "doc_read", size: Buffer.byteLength(longText) });
    const { contents } = await client.readResource({ uri: handle });
    expect(contents).toEqual([{ uri: handle, mimeType: "text/plain", text: longText }]);
    await expect(client.readResource({ uri: `relay://${"a".repeat(20)}` })).rejects.toThrow(
      "is unknown or has expired",
    );
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: "relay://{id}" }]);
    expect((await client.listResources()).resources).toEqual([]);
  });

  test("resolves handles before validation, and answers not_found for an unknown handle without running the tool", async () => {
    const { surface, given } = await relayed();
    const client = await connectWith(surface);
    const handle = handleIn(await read(client, "doc_read", { args: { path: "a" } }));
    const args = { content: handle, meta: { parts: ["short", `\${${handle}#lines=2-2}`] } };
    expect(textOf(await ask(client, "tool_invoke", { name: "doc_write", args }))).toContain(`${longText.length}`);
    expect(given).toEqual([{ content: longText, meta: { parts: ["short", "entry 1: é\n"] } }]);
    const wrong = await ask(client, "tool_invoke", {
      name: "doc_write",
      args: { content: `relay://${"b".repeat(20)}` },
    });
    expect(wrong).toMatchObject({ isError: true });
    expect(textOf(wrong)).toMatch(/^not_found: /);
    expect(given).toHaveLength(1);
  });

  test("lists relay_read once, whose results are not boxed", async () => {
    const { surface } = await relayed();
    const client = await connectWith(surface);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => name === "relay_read")).toEqual(["relay_read"]);
    const handle = handleIn(await read(client, "doc_read", { args: { path: "a" } }));
    const whole = textOf(await ask(client, "relay_read", { handle }));
    expect(Buffer.byteLength(whole)).toBeLessThan(8_100);
    expect(whole.startsWith("entry 0: \nentry 1: é\n")).toBe(true);
    const found = await ask(client, "relay_read", { handle, mode: "grep", pattern: "^entry 19999:" });
    expect(textOf(found)).toMatch(/^20000: entry 19999: é+$/);
    expect(
      textOf(await ask(client, "tool_search", { query: "read a relay handle" })).match(/relay_read/g),
    ).toHaveLength(1);
  });
});

describe("a boxed result keeps", () => {
  test("the short fields of JSON text and of structured content, without a link there", async () => {
    const client = await connect((await relayed()).surface);
    const asText = await read(client, "doc_fields");
    const handle = handleIn(asText);
    const [json = "", note] = textOf(asText).split("\n");
    expect(note).toMatch(`${handle} stands for text/plain, ${Buffer.byteLength(longText)} bytes, 20000 lines.`);
    expect(JSON.parse(json)).toEqual({
      author: "ann",
      content: handle,
      tags: ["a"],
    });
    expect(asText.content[1]).toMatchObject({ type: "resource_link" });
    const structured = await read(client, "doc_fields", { structured: true });
    expect(structured.structuredContent).toEqual({ author: "ann", content: handle, tags: ["a"] });
    expect(structured.content.map(({ type }) => type)).toEqual(["text"]);
  });

  test("nothing of a long list of small items, in text or JSON", async () => {
    const client = await connect((await relayed()).surface);
    const asText = await read(client, "doc_list");
    expect(textOf(await ask(client, "relay_read", { handle: handleIn(asText), mode: "lines", start: -1 }))).toMatch(
      /^2999 Title 2999/,
    );
    const structured = await read(client, "doc_list", { structured: true });
    expect(structured.structuredContent).toBeUndefined();
    const pick = { handle: handleIn(structured), mode: "pick", pattern: "$.items[2999].title" };
    expect(textOf(await ask(client, "relay_read", pick))).toBe("Title 2999");
  });

  test("required fields if tools list output schemas", async () => {
    const { surface } = await relayed({ keepsStructured: true }, { results: "both", expose: ["core", "documents"] });
    const client = await connect(surface);
    await client.listTools();
    const listed = await ask(client, "doc_list");
    expect(listed.structuredContent).toMatchObject({ items: expect.any(Array) });
    expect(listed.content.map(({ type }) => type)).toEqual(["text"]);
    const fields = await ask(client, "doc_fields");
    expect(fields.structuredContent).toEqual({ author: "ann", content: handleIn(fields), tags: ["a"] });
  });

  test("a handle to the bytes of a large image", async () => {
    const client = await connect((await relayed()).surface);
    const image = await read(client, "doc_image");
    expect(image.content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
    const uri = handleIn(image);
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([{ uri, mimeType: "image/png", blob: Buffer.alloc(2_000_000, 7).toString("base64") }]);
    expect((await ask(client, "relay_read", { handle: uri })).content).toMatchObject([
      { type: "image", mimeType: "image/png" },
    ]);
  });
});

describe("around a call", () => {
  test("interceptors that record calls see handles, not values", async () => {
    const { surface, seen } = await relayed();
    const client = await connect(surface);
    const handle = handleIn(await read(client, "doc_read", { args: { path: "a" } }));
    await ask(client, "tool_invoke", { name: "doc_write", args: { content: handle } });
    expect(JSON.stringify(seen).length).toBeLessThan(2_500);
    expect(seen).toMatchObject([{ outcome: { text: expect.stringContaining(handle) } }, { args: { content: handle } }]);
  });

  test("code in full result mode gets whole results, and its handles are resolved", async () => {
    const { surface, given } = await relayed();
    const outcome = await surface.dispatcher.dispatch({
      name: "doc_read",
      args: { path: "a" },
      context: { resultMode: "full" },
    });
    expect(outcome).toMatchObject({ ok: true, text: longText });
    const boxed = await surface.call({ name: "doc_read", args: { path: "a" } });
    await surface.dispatcher.dispatch({
      name: "doc_write",
      args: { content: handleIn(boxed) },
      context: { resultMode: "full" },
    });
    expect(given).toEqual([{ content: longText }]);
  });

  test("a result that cannot be stored is returned whole, and onError gets the reason", async () => {
    const broken = sqlite(path.join(folder, "no", "such", "folder", "\0"));
    const errors: unknown[] = [];
    const { surface } = await relayed({ store: broken, onError: (error) => errors.push(error) });
    const outcome = await surface.call({ name: "doc_read", args: { path: "a" } });
    expect(outcome).toMatchObject({ ok: true, text: longText });
    expect(errors).toHaveLength(1);
  });

  test("another replica can open the value; another principal or a caller without a credential cannot", async () => {
    const [one, other] = [await relayed(), await relayed()];
    const as = (sub: string) => ({
      context: { auth: { token: `${Math.random()}`, clientId: "shared", extra: { sub } } },
    });
    const made = await one.surface.call({ name: "doc_read", args: { path: "a" }, ...as("ann") });
    const handle = handleIn(made);
    const readBy = async (who: object) =>
      other.surface.call({ name: "relay_read", args: { handle, mode: "length" }, ...who });
    expect(await readBy(as("ann"))).toMatchObject({ ok: true });
    expect(await readBy(as("bob"))).toMatchObject({ ok: false, failure: { code: "not_found" } });
    expect(await readBy({})).toMatchObject({ ok: false, failure: { code: "not_found" } });
    expect(await readBy({ context: { auth: { token: "t", clientId: "shared" } } })).toMatchObject({ ok: false });
    const written = await other.surface.call({ name: "doc_write", args: { content: handle }, ...as("bob") });
    expect(written).toMatchObject({ ok: false, failure: { code: "not_found" } });
    expect(other.given).toEqual([]);
  });

  test("creates nothing in the store without a large result", async () => {
    const own = sqlite(path.join(folder, "untouched.db"));
    const { surface } = await relayed({ store: own });
    await surface.call({ name: "doc_write", args: { content: "short, with relay:// in it" } });
    expect(await own.generation()).toBe(0);
    await own.end();
  });
});

describe("the two-tool surface", () => {
  const context = { workspaceId: "default", sessionId: "s", memory: "none", goal: "test" };
  const use = (client: Asking, calls: readonly object[], more: object = {}) =>
    ask(client, "useTools", { context, calls, ...more });

  test("boxes each call's result, accepts handles as params, and passes whole values from call to call", async () => {
    const { surface, given } = await relayed({}, { surface: "two-tool" });
    const client = await connect(surface);
    const result = await use(client, [
      { pack: "documents", tool: "read", params: { path: "a" } },
      { pack: "documents", tool: "write", params: { content: "${steps.s1.content}" } },
    ]);
    expect(given).toEqual([{ content: longText }]);
    expect(textOf(result).length).toBeLessThan(1_000);
    const handle = handleIn(result);
    const params = { content: handle, data: { type: "resource_link", uri: handle } };
    const bad = await use(client, [{ pack: "documents", tool: "write", params }]);
    expect(textOf(bad)).toMatch(/invalid_input: data: /);
    await use(client, [{ pack: "documents", tool: "write", params: { content: handle } }]);
    expect(given).toEqual([{ content: longText }, { content: longText }]);
    const lines = { handle, mode: "lines", start: 3, count: 1 };
    expect(textOf(await use(client, [{ pack: "relay", tool: "read", params: lines }]))).toContain("entry 2: éé");
  });

  test("runs no call with an unknown handle", async () => {
    const { surface, given } = await relayed({}, { surface: "two-tool" });
    const client = await connect(surface);
    const calls = [
      { pack: "documents", tool: "write", params: { content: "short" } },
      { pack: "documents", tool: "write", params: { content: `relay://${"c".repeat(20)}` } },
    ];
    const refused = /\[s2\] doc_write: failed: .*is unknown or has expired/;
    expect(textOf(await use(client, calls))).toMatch(refused);
    expect(given).toEqual([{ content: "short" }]);
  });

  test("the relay adds at most 15 tokens to the index", async () => {
    const index = async (packs: readonly Pack[]) => {
      const listing = await (await createSurface({ packs, surface: "two-tool", twoTool: { store } })).listing();
      return encode(
        JSON.stringify(listing.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
      ).length;
    };
    expect((await index([documents(), serverRelay({}).pack])) - (await index([documents()]))).toBeLessThanOrEqual(15);
  });
});
