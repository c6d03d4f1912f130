// `node bench/src/search.ts [rounds]` (0: only memory): search_text over MCP compared with ripgrep, alternating, over a tree of 24,000 files; then its memory.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { rgPath } from "@vscode/ripgrep";
import { percentile } from "./connection.ts";
import { peakMemory } from "./peak-memory.ts";
import { filesInTree, writeLargeFile, writeMatches, writeTree } from "./search-tree.ts";

const [rounds = 9] = process.argv.slice(2).map(Number);
const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-search-"));
const tree = path.join(folder, "tree");
const large = path.join(folder, "large");

/** A search, as arguments of the tool and of ripgrep, which prints all results. */
const searches = [
  { name: "first page of 600 matches", args: { pattern: "needle", limit: 100 }, peer: ["--line-number", "needle"] },
  { name: "all of 600 matches", args: { pattern: "needle", limit: 1000 }, peer: ["--line-number", "needle"] },
  { name: "first page of over 100,000", args: { pattern: "alpha", limit: 100 }, peer: ["--line-number", "alpha"] },
  { name: "full count of 600", args: { pattern: "needle", mode: "count" }, peer: ["--count", "needle"] },
  { name: "full count of over 100,000", args: { pattern: "alpha", mode: "count" }, peer: ["--count", "alpha"] },
  { name: "no match", args: { pattern: "nowhere to be found" }, peer: ["--line-number", "nowhere to be found"] },
] as const;

try {
  mkdirSync(large, { recursive: true });
  if (rounds > 0) await measureTime();
  await measureMemory();
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(0);

async function measureTime(): Promise<void> {
  writeTree(tree);
  await compare("warm", () => {});
  // What is not written to disk yet cannot be dropped from the cache.
  spawnSync("sync");
  if (dropFromCache(tree))
    await compare("cold: the files are dropped from the cache before each", () => dropFromCache(tree));
  else console.log("cold: not measured, as this machine has no python3 to drop files from the cache with");
}

async function compare(state: string, prepare: () => unknown): Promise<void> {
  const { client } = await serve(tree);
  const rows = [];
  for (const { name, args, peer } of searches) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round += 1) {
      prepare();
      const tool = await timed(() => call(client, args));
      prepare();
      const own = await timed(() => ripgrep(["--smart-case", ...peer]));
      // The first round warms caches and is not counted.
      if (round === 0) continue;
      ours.push(tool);
      theirs.push(own);
    }
    const [mine, its] = [percentile(ours, 0.5), percentile(theirs, 0.5)];
    rows.push({
      search: name,
      "search_text ms": mine.toFixed(1),
      "rg ms": its.toFixed(1),
      ratio: (mine / its).toFixed(2),
    });
  }
  console.log(`${filesInTree} files, ${state}; medians of ${rounds}, in turns`);
  console.table(rows);
  await client.close();
}

async function measureMemory(): Promise<void> {
  const rows = [];
  writeLargeFile(path.join(large, "log.txt"), 2 ** 31);
  writeMatches(path.join(large, "matches.txt"), 1_000_000);
  for (const file of ["log.txt", "matches.txt", "."]) {
    for (const args of [{ limit: 100 }, { limit: 5000, context: 5 }, { mode: "count" }, { mode: "files" }]) {
      const { client, process: id } = await serve(large);
      await client.listTools();
      const started = performance.now();
      const peak = await peakMemory(id, () => call(client, { pattern: "needle", path: file, ...args }));
      const ms = performance.now() - started;
      rows.push({
        searched: file,
        args: JSON.stringify(args),
        "peak MB, server and rg": peak.toFixed(0),
        ms: ms.toFixed(0),
      });
      await client.close();
    }
  }
  console.log("memory: log.txt has 2 GB, matches.txt 1,000,000 matches, . is the folder of both");
  console.table(rows);
}

async function serve(root: string): Promise<{ readonly client: Client; readonly process: number }> {
  const args = [cli, "--root", root, "--facet", "search", "--log-level", "silent"];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  return { client, process: transport.pid ?? 0 };
}

async function call(client: Client, args: Record<string, unknown>): Promise<void> {
  const result = await client.callTool({ name: "search_text", arguments: args });
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
}

/** Runs it on the tree, and reads all that it prints. */
function ripgrep(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, ["--no-config", ...args, "./"], { cwd: tree, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.resume();
    child.on("close", () => resolve()).on("error", reject);
  });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Whether the pages of a tree's files could be dropped from the system's cache. */
function dropFromCache(root: string): boolean {
  const script = `
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        file = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
`;
  return spawnSync("python3", ["-c", script, root]).status === 0;
}
