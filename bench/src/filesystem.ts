// `node bench/src/filesystem.ts [rounds]`: fs_edit over MCP of files whose every line changes; after a build.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { percentile } from "./connection.ts";

const [rounds = 15] = process.argv.slice(2).map(Number);
const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-filesystem-"));
const args = [cli, "--root", folder, "--facet", "filesystem", "--write", "--log-level", "silent"];
const client = new Client({ name: "bench", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));

const linesOf = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");
const rows = [];
for (const count of [1_000, 10_000, 40_000]) {
  const [before, after] = [linesOf("before", count), linesOf("after", count)];
  for (const [name, edits] of [
    ["one text", [{ old: before, new: after }]],
    ["delete and append", [{ from: 1, to: count }, { append: after }]],
  ] as const) {
    for (const dryRun of [false, true]) {
      const times: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        writeFileSync(path.join(folder, "a.txt"), before);
        const started = performance.now();
        const result = await client.callTool({ name: "fs_edit", arguments: { path: "a.txt", edits, dryRun } });
        if (result.isError === true) throw new Error(JSON.stringify(result.content));
        // The first round warms caches and is not counted.
        if (round > 0) times.push(performance.now() - started);
      }
      rows.push({ lines: count, edits: name, dryRun, "p50 ms": percentile(times, 0.5).toFixed(1) });
    }
  }
}
console.table(rows);
await client.close();
rmSync(folder, { recursive: true });
process.exit(0);
