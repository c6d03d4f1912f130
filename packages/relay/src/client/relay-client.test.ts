import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as FirstTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as FirstServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import { relayClient, type RelayClientOptions } from "./relay-client.ts";

const long = Array.from({ length: 20_000 }, (_, at) => `line ${at} "quoted" → 🙂`).join("\n");

/** The files of a server, by name. */
type Files = Map<string, string>;

const newFiles = (): Files => new Map([["long.txt", long]]);

/** The tools of a server that reads and writes these files. */
function tools(files: Files) {
  const text = (content: string) => ({
    content: [{ type: "text" as const, text: content }],
    structuredContent: { content },
  });
  return {
    read: ({ path }: { path: string }) => text(files.get(path) ?? ""),
    write: ({ path, content }: { path: string; content: string }) => {
      files.set(path, content);
      return text("written");
    },
  };
}

const about = { name: "test-files", version: "1.0.0" };
const output = { content: z.string() };
const reading = { path: z.string() };
const writing = { path: z.string(), content: z.string() };

/** Starts a server, and returns the client's end of its transport. */
async function serve(files: Files): Promise<FirstTransport> {
  const server = new FirstServer(about);
  const { read, write } = tools(files);
  server.registerTool("read_text_file", { inputSchema: reading, outputSchema: output }, read);
  server.registerTool("write_file", { inputSchema: writing, outputSchema: output }, write);
  const [ours, theirs] = FirstTransport.createLinkedPair();
  await server.connect(theirs);
  return ours;
}

async function second(files: Files): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(await serve(files));
  onTestFinished(() => client.close());
  return client;
}

async function first(files: Files): Promise<FirstClient> {
  const client = new FirstClient({ name: "test", version: "1.0.0" });
  await client.connect(await serve(files));
  onTestFinished(() => client.close());
  return client;
}

/** What the tests ask of a client, which those of both SDKs can be asked. */
type Asked = Pick<FirstClient, "listTools" | "callTool" | "readResource" | "ping" | "getServerVersion" | "close">;

const handleIn = (result: unknown) => /relay:\/\/[a-z2-7]{20}/.exec(JSON.stringify(result))?.[0] ?? "none";

describe.each([
  [
    "1.x",
    (files: Files, options?: RelayClientOptions) => first(files).then((client): Asked => relayClient(client, options)),
  ],
  [
    "2.x",
    (files: Files, options?: RelayClientOptions) =>
      second(files).then((client) => relayClient(client, options) as unknown as Asked),
  ],
])("relayClient of a %s client", (_, connect) => {
  test("lists relay_read after the server's tools, which do not change", async () => {
    const files = newFiles();
    const client = await connect(files);
    const { tools } = await client.listTools();
    expect(tools.slice(0, -1)).toEqual((await (await first(files)).listTools()).tools);
    expect(tools.at(-1)?.name).toBe("relay_read");
  });

  test("boxes a large result, resolves its handle in arguments, and reads parts of it", async () => {
    const files = newFiles();
    const client = await connect(files);
    const read = await client.callTool({ name: "read_text_file", arguments: { path: "long.txt" } });
    expect(JSON.stringify(read).length).toBeLessThan(1_000);
    const handle = handleIn(read);

    await client.callTool({ name: "write_file", arguments: { path: "copy.txt", content: handle } });
    expect(files.get("copy.txt")).toBe(long);
    const lines = await client.callTool({ name: "relay_read", arguments: { handle, mode: "lines", start: -1 } });
    expect(JSON.stringify(lines.content)).toContain("line 19999");
    expect(await client.readResource({ uri: handle })).toEqual({
      contents: [{ uri: handle, mimeType: "text/plain", text: long }],
    });
  });

  test("refuses an unknown handle and wrong arguments with errors for the model, and runs nothing", async () => {
    const files = newFiles();
    const client = await connect(files);
    const unknown = `relay://${"a".repeat(20)}`;
    const failed = await client.callTool({ name: "write_file", arguments: { path: "never.txt", content: unknown } });
    expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("not_found") }] });
    expect([...files.keys()]).toEqual(["long.txt"]);
    const wrong = await client.callTool({ name: "relay_read", arguments: { hundle: unknown } });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("invalid_input") }] });
    await expect(client.readResource({ uri: unknown })).rejects.toThrow("unknown");
  });

  test("behaves like the client otherwise", async () => {
    const files = newFiles();
    const client = await connect(files, { toolThresholdTokens: { read_text_file: false } });
    expect(client.getServerVersion()?.name).toBe("test-files");
    await expect(client.ping()).resolves.toEqual({});
    expect(client.ping).toBe(client.ping);
    const read = await client.callTool({ name: "read_text_file", arguments: { path: "long.txt" } });
    expect(read).toMatchObject({ structuredContent: { content: long } });
    let isClosed = false;
    (client as unknown as { onclose: () => void }).onclose = () => (isClosed = true);
    await client.close();
    expect(isClosed).toBe(true);
  });
});

describe("relayClient", () => {
  test("has the type of the client", async () => {
    const client = relayClient(await second(newFiles()));
    expectTypeOf(client).toEqualTypeOf<Client>();
  });

  test("uses another name for its tool if the server has the name, and lists schemas that accept a handle", async () => {
    const server = new McpServer({ name: "test", version: "1.0.0" });
    const output = z.object({ page: z.url(), code: z.string().regex(/^x+$/).min(10), count: z.int() });
    server.registerTool("relay_read", { inputSchema: z.object({}) }, async () => ({
      content: [{ type: "text", text: "its own" }],
    }));
    server.registerTool("fetch", { inputSchema: z.object({}), outputSchema: output }, async () => {
      const fetched = { page: "http://localhost/", code: "x".repeat(50_000), count: 1 };
      return { content: [{ type: "text", text: JSON.stringify(fetched) }], structuredContent: fetched };
    });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs);
    const connected = new Client({ name: "test", version: "1.0.0" });
    await connected.connect(ours);
    const client = relayClient(connected);

    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["relay_read", "fetch", "relay_read_2"]);
    expect(tools[1]?.outputSchema?.["properties"]).toEqual({
      page: { type: "string" },
      code: { type: "string" },
      count: expect.objectContaining({ type: "integer" }),
    });
    const fetched = await client.callTool({ name: "fetch", arguments: {} });
    expect(fetched.structuredContent).toEqual({ page: "http://localhost/", code: handleIn(fetched), count: 1 });
    expect(await client.callTool({ name: "relay_read", arguments: {} })).toMatchObject({
      content: [{ text: "its own" }],
    });
    const length = { handle: handleIn(fetched), mode: "length" };
    const read = await client.callTool({ name: "relay_read_2", arguments: length });
    expect(JSON.stringify(read.content)).toContain("50000");
  });
});
