import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { GraphEntity } from "./memory-graph.ts";

/** A memory server, over stdio. */
export interface MemoryServer {
  readonly name: string;
  create(entity: GraphEntity): Promise<void>;
  /** Adds to an entity. Returns the id of the observation if the server has ids. */
  observe(about: string, text: string, supersedes?: string): Promise<string | undefined>;
  /** The lines that a model would read first, best first. */
  search(query: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

const script = (specifier: string) => fileURLToPath(import.meta.resolve(specifier));

async function connect(args: readonly string[], env: Record<string, string> = {}) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], env, stderr: "ignore" }));
  const call = async (name: string, given: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: given });
    if (result.isError === true) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return result.structuredContent as Record<string, unknown>;
  };
  return { call, close: () => client.close() };
}

/** `@modelcontextprotocol/server-memory` on a file. */
export async function officialServer(file: string): Promise<MemoryServer> {
  const { call, close } = await connect([script("@modelcontextprotocol/server-memory/dist/index.js")], {
    MEMORY_FILE_PATH: file,
  });
  return {
    name: "official memory server",
    async create(entity) {
      await call("create_entities", { entities: [entity] });
    },
    async observe(entityName, text) {
      await call("add_observations", { observations: [{ entityName, contents: [text] }] });
      return undefined;
    },
    async search(query) {
      const { entities } = (await call("search_nodes", { query })) as unknown as { entities: readonly GraphEntity[] };
      return entities.flatMap(({ observations }) => observations);
    },
    close,
  };
}

/** The memory pack on a store, as the only pack, listed directly. */
export async function packServer(store: string, flags: readonly string[] = []): Promise<MemoryServer> {
  const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));
  const { call, close } = await connect([
    cli,
    "--facet",
    "memory",
    "--store",
    store,
    "--log-level",
    "silent",
    ...flags,
  ]);
  return {
    name: "toolpacks memory",
    async create({ name, entityType, observations }) {
      await call("memory_remember", { entity: name, type: entityType, observations });
    },
    async observe(about, text, supersedes) {
      const args = { text, about: [about], ...(supersedes !== undefined && { supersedes }) };
      const { items } = (await call("memory_remember", args)) as unknown as { items: readonly { id: string }[] };
      return items[0]?.id;
    },
    async search(query) {
      const { items } = (await call("memory_recall", { query })) as unknown as { items: readonly { text: string }[] };
      return items.map(({ text }) => text);
    },
    close,
  };
}
