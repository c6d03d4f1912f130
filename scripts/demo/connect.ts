import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");
export const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));

/** Starts the built server, and connects a client to it. */
export async function connect(...flags: readonly string[]): Promise<Client> {
  const client = new Client({ name: "demo", version: "1.0.0" });
  const args = [cli, "--root", root, "--log-level", "silent", ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

/** What a client pays before the first question. */
export interface ListCost {
  readonly entries: number;
  /** Tokens of the tool list, with output schemas, and of the instructions. */
  readonly tokens: number;
}

/** Measures the list of a client as soon as it has as many tools as expected. Tools of another server are listed once it has started. */
export async function listCost(client: Client, minEntries: number): Promise<ListCost> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const { tools } = await client.listTools();
    if (tools.length >= minEntries) {
      const listed = tools.map(({ name, description, inputSchema, outputSchema }) => ({
        name,
        description,
        inputSchema,
        outputSchema,
      }));
      const text = JSON.stringify(listed) + (client.getInstructions() ?? "");
      return { entries: tools.length, tokens: encode(text).length };
    }
    if (performance.now() > deadline) throw new Error(`the list has ${tools.length} tools, expected ${minEntries}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Calls a tool. Resolves to its text. @throws Error when the tool fails */
export async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
  if (isError === true) throw new Error(`${name} failed: ${text}`);
  return text;
}
