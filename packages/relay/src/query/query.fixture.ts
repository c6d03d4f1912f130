import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { sqlite } from "@toolpacks/store-sqlite";
import { attach, createSurface } from "@toolpacks/surface";
import { onTestFinished } from "vitest";
import { serverRelay } from "../server/server-relay.ts";
import { storeValues } from "../values/store-values.ts";

export interface QueryClient {
  readonly client: Client;
  /** Stores a text. Returns its handle. */
  readonly keep: (text: string) => Promise<string>;
  /** The text of an answer of `relay_read`. */
  readonly read: (args: Readonly<Record<string, unknown>>, signal?: AbortSignal) => Promise<string>;
  /** The answer to SQL over a text. */
  readonly query: (text: string, sql?: string, range?: string) => Promise<string>;
}

/** A client of a server with `relay_read`. A concurrent test gives its own `onFinished`. */
export async function queryClient(onFinished = onTestFinished): Promise<QueryClient> {
  const folder = await mkdtemp(path.join(tmpdir(), "relay-query-"));
  const store = sqlite(path.join(folder, "store.db"));
  const server = new McpServer({ name: "test", version: "1.0.0" });
  attach(server, await createSurface({ packs: [serverRelay({ store }).pack] }));
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(clientSide);
  onFinished(async () => {
    await client.close();
    await store.end();
    await rm(folder, { recursive: true });
  });
  const keep = async (data: string) => {
    const { id } = await storeValues({ store }).put({ data, mimeType: "text/plain", text: true });
    return `relay://${id}`;
  };
  const read: QueryClient["read"] = async (args, signal) => {
    const options = { timeout: 120_000, ...(signal && { signal }) };
    const { content } = await client.callTool({ name: "relay_read", arguments: { ...args } }, options);
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
  return {
    client,
    keep,
    read,
    query: async (text, sql, range = "") =>
      read({ handle: `${await keep(text)}${range}`, mode: "query", ...(sql !== undefined && { pattern: sql }) }),
  };
}
