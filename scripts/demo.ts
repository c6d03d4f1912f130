// `pnpm start`: the main job, on this repository's own files, through the real server and a real MCP client.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "");
const cli = fileURLToPath(new URL("../apps/server/dist/cli.js", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-demo-"));
const sentence = "read the first lines of a file";
const heading = (text: string) => console.log(`\n\u001B[1m${text}\u001B[22m`);

async function connect(...flags: string[]): Promise<Client> {
  const client = new Client({ name: "demo", version: "1.0.0" });
  const store = path.join(folder, "store.db");
  const args = [cli, "--root", root, "--store", store, "--log-level", "silent", ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

async function listedTokens(client: Client): Promise<{ names: string[]; tokens: number }> {
  const { tools } = await client.listTools();
  const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { names: tools.map(({ name }) => name), tokens: encode(JSON.stringify(seen)).length };
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  heading(`${name} ${JSON.stringify(args)}`);
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
  console.log(text);
  if (isError === true) throw new Error(`${name} failed`);
  return text;
}

const direct = await connect("--surface", "direct", "--write");
const everything = await listedTokens(direct);
await direct.close();

const client = await connect();
const listed = await listedTokens(client);
heading(`A client lists ${listed.names.length} entries, ${listed.tokens} tokens, with any number of packs`);
console.log(listed.names.join(", "));
heading(
  `Listing every tool of the bundled packs directly: ${everything.names.length} entries, ${everything.tokens} tokens, and more with each pack`,
);
console.log(everything.names.join(", "));

const found = await call(client, "tool_search", { query: sentence, limit: 3 });
const tool = found.slice(0, found.indexOf("("));
await call(client, "tool_describe", { name: tool });
await call(client, "tool_read", { name: tool, args: { path: "README.md", startLine: 1, endLine: 12 } });
const record = { text: "Water the plants", due: "2027-01-04", repeat: "FREQ=WEEKLY" };
await call(client, "store_put", { kind: "reminder", record });
await call(client, "store_query", { kind: "reminder", text: "plants" });
await client.close();
rmSync(folder, { recursive: true });

heading("To use it, paste this into your MCP client's configuration (read-only; add --write to let it change files):");
console.log(
  JSON.stringify(
    { mcpServers: { toolpacks: { command: process.execPath, args: [cli, "--root", root] } } },
    undefined,
    2,
  ),
);
process.exit(0);
