import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { changeTokens, createToken } from "@toolpacks/access";
import { expect, onTestFinished, test } from "vitest";

const program = ["--conditions=@toolpacks/source", fileURLToPath(new URL("server.ts", import.meta.url))];
const other = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

function folder(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "own-server-"));
  writeFileSync(path.join(directory, "notes.txt"), "Buy milk.");
  return directory;
}

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

function call(client: Client, name: string, args: object) {
  return client.callTool({ name: "tool_invoke", arguments: { name, args: { ...args } } });
}

test("serves two packs and another server over stdio", async () => {
  const HOME = folder();
  const args = [...program, HOME, other];
  const client = await connect(new StdioClientTransport({ command: process.execPath, args, env: { HOME } }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["tool_search", "tool_describe", "tool_read", "tool_invoke"]);
  expect((await call(client, "fs_read", { path: "notes.txt" })).content).toMatchObject([
    { text: expect.stringContaining("Buy milk.") },
  ]);
  await call(client, "issue_create", { issues: [{ title: "Buy bread" }] });
  expect((await call(client, "issue_list", {})).content).toMatchObject([
    { text: expect.stringContaining("Buy bread") },
  ]);
  expect((await call(client, "other_echo", { message: "hello" })).content).toMatchObject([
    { text: expect.stringContaining("hello") },
  ]);
});

test("serves the holder of a token over HTTP what it grants, and nobody else", async () => {
  const directory = folder();
  const tokens = path.join(directory, "tokens.json");
  const { token, ...stored } = createToken();
  const access = { facets: ["filesystem"] };
  await changeTokens(tokens, () => [{ ...stored, name: "reader", access, createdAt: new Date().toISOString() }]);
  const server = spawn(process.execPath, [...program, directory, other, "0", tokens], { env: { HOME: directory } });
  onTestFinished(() => void server.kill("SIGTERM"));
  let errors = "";
  server.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  while (!errors.includes("listening on")) await once(server.stderr, "data");
  const url = new URL(/listening on (\S+)/.exec(errors)?.[1] ?? "");
  const headers = { authorization: `Bearer ${token}` };
  const client = await connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  expect((await call(client, "fs_read", { path: "notes.txt" })).isError).toBeFalsy();
  expect((await call(client, "issue_list", {})).isError).toBe(true);
  const refused = await fetch(url, { method: "POST", body: "{}" });
  expect(refused.status).toBe(401);
});
