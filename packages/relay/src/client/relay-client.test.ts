import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import { relayClient, type RelayClientOptions } from "./relay-client.ts";

const filesystem = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
const long = Array.from({ length: 20_000 }, (_, at) => `line ${at} "quoted" → 🙂`).join("\n");

function folder(): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "toolpacks-relay-client-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(path.join(directory, "long.txt"), long);
  return directory;
}

const processOf = (directory: string) => ({
  command: process.execPath,
  args: [filesystem, directory],
  stderr: "ignore" as const,
});

async function second(directory: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioClientTransport(processOf(directory)));
  onTestFinished(() => client.close());
  return client;
}

async function first(directory: string): Promise<FirstClient> {
  const client = new FirstClient({ name: "test", version: "1.0.0" });
  await client.connect(new FirstTransport(processOf(directory)));
  onTestFinished(() => client.close());
  return client;
}

/** What the tests ask of a client, which those of both SDKs can be asked. */
type Asked = Pick<FirstClient, "listTools" | "callTool" | "readResource" | "ping" | "getServerVersion" | "close">;

const handleIn = (result: unknown) => /relay:\/\/[a-z2-7]{20}/.exec(JSON.stringify(result))?.[0] ?? "none";

describe.each([
  [
    "1.x",
    (directory: string, options?: RelayClientOptions) =>
      first(directory).then((client): Asked => relayClient(client, options)),
  ],
  [
    "2.x",
    (directory: string, options?: RelayClientOptions) =>
      second(directory).then((client) => relayClient(client, options) as unknown as Asked),
  ],
])("relayClient of a %s client", (_, connect) => {
  test("lists relay_read after the server's tools, which do not change", async () => {
    const directory = folder();
    const client = await connect(directory);
    const { tools } = await client.listTools();
    expect(tools.slice(0, -1)).toEqual((await (await first(directory)).listTools()).tools);
    expect(tools.at(-1)?.name).toBe("relay_read");
  });

  test("boxes a large result, resolves its handle in arguments, and reads parts of it", async () => {
    const directory = folder();
    const client = await connect(directory);
    const read = await client.callTool({
      name: "read_text_file",
      arguments: { path: path.join(directory, "long.txt") },
    });
    expect(JSON.stringify(read).length).toBeLessThan(1_000);
    const handle = handleIn(read);

    const copy = path.join(directory, "copy.txt");
    await client.callTool({ name: "write_file", arguments: { path: copy, content: handle } });
    expect(readFileSync(copy, "utf8")).toBe(long);
    const lines = await client.callTool({ name: "relay_read", arguments: { handle, mode: "lines", start: -1 } });
    expect(JSON.stringify(lines.content)).toContain("line 19999");
    expect(await client.readResource({ uri: handle })).toEqual({
      contents: [{ uri: handle, mimeType: "text/plain", text: long }],
    });
  });

  test("refuses an unknown handle and wrong arguments with errors for the model, and runs nothing", async () => {
    const directory = folder();
    const client = await connect(directory);
    const file = path.join(directory, "never.txt");
    const unknown = `relay://${"a".repeat(20)}`;
    const failed = await client.callTool({ name: "write_file", arguments: { path: file, content: unknown } });
    expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("not_found") }] });
    expect(() => readFileSync(file)).toThrow("ENOENT");
    const wrong = await client.callTool({ name: "relay_read", arguments: { hundle: unknown } });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("invalid_input") }] });
    await expect(client.readResource({ uri: unknown })).rejects.toThrow("unknown");
  });

  test("behaves like the client otherwise", async () => {
    const directory = folder();
    const client = await connect(directory, { toolThresholdTokens: { read_text_file: false } });
    expect(client.getServerVersion()?.name).toBe("secure-filesystem-server");
    await expect(client.ping()).resolves.toEqual({});
    expect(client.ping).toBe(client.ping);
    const read = await client.callTool({
      name: "read_text_file",
      arguments: { path: path.join(directory, "long.txt") },
    });
    expect(read).toMatchObject({ structuredContent: { content: long } });
    let isClosed = false;
    (client as unknown as { onclose: () => void }).onclose = () => (isClosed = true);
    await client.close();
    expect(isClosed).toBe(true);
  });
});

describe("relayClient", () => {
  test("has the type of the client", async () => {
    const client = relayClient(await second(folder()));
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
