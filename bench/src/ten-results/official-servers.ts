/** Large results that the official MCP servers make of this repository. */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { TreeEntry } from "./tree-questions.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A tree, a text of code and a text of Markdown by the server for files, and a graph of the tree by the server for memory. */
export async function makeResults(): Promise<Record<string, string>> {
  const zod = path.dirname(createRequire(import.meta.url).resolve("zod/package.json"));
  const files = await connect("@modelcontextprotocol/server-filesystem/dist/index.js", [root, zod]);
  const excludePatterns = [
    "node_modules",
    "**/node_modules/**",
    "dist",
    "**/dist/**",
    ".git",
    ".turbo",
    "**/.turbo/**",
  ];
  const tree = await files.call("directory_tree", { path: root, excludePatterns });
  const code = await files.call("read_text_file", { path: path.join(zod, "src/v4/core/schemas.ts") });
  const guide = await files.call("read_text_file", { path: path.join(root, "docs/security.md") });
  await files.close();
  const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-graph-"));
  const memory = await connect("@modelcontextprotocol/server-memory/dist/index.js", [], {
    MEMORY_FILE_PATH: path.join(folder, "memory.jsonl"),
  });
  const entries = [...flatten(JSON.parse(tree) as TreeEntry[], "")];
  const entities = entries.map(({ name, type, children }) => ({ name, entityType: type, observations: children }));
  const relations = entries.flatMap(({ name, children }) =>
    children.map((to) => ({ from: name, to: `${name}/${to}`, relationType: "contains" })),
  );
  await memory.call("create_entities", { entities });
  await memory.call("create_relations", { relations });
  const graph = await memory.call("read_graph", {});
  await memory.close();
  rmSync(folder, { recursive: true });
  return { "tree.json": tree, "code.ts": code, "guide.md": guide, "graph.json": graph };
}

function* flatten(
  tree: readonly TreeEntry[],
  parent: string,
): Generator<{ name: string; type: string; children: string[] }> {
  for (const { name, type, children = [] } of tree) {
    const full = parent === "" ? name : `${parent}/${name}`;
    yield { name: full, type, children: children.map((one) => one.name) };
    yield* flatten(children, full);
  }
}

async function connect(module: string, args: readonly string[], env: Record<string, string> = {}) {
  const command = process.execPath;
  const script = createRequire(import.meta.url).resolve(module);
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args: [script, ...args], env, stderr: "ignore" }));
  return {
    close: () => client.close(),
    async call(name: string, args: Record<string, unknown>): Promise<string> {
      const { content } = await client.callTool({ name, arguments: args });
      return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    },
  };
}
