// `node bench/src/two-tool.ts`: what the two-tool surface lists, beside every tool of the bundled packs listed directly.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));

interface Listed {
  readonly tools: number;
  readonly tokens: number;
}

/** @param without packs that are turned off */
async function listed(surface: "direct" | "two-tool", without: readonly string[] = []): Promise<Listed> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const config = path.join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ packs: Object.fromEntries(without.map((name) => [name, false])) }));
  const store = path.join(folder, "store.db");
  const flags = [
    "--surface",
    surface,
    "--root",
    folder,
    "--write",
    "--store",
    store,
    "--config",
    config,
    "--workspace",
    "bench",
  ];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [cli, ...flags, "--log-level", "silent"] }),
  );
  const { tools } = await client.listTools();
  await client.close();
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { tools: tools.length, tokens: encode(JSON.stringify(shown)).length };
}

const percent = (tokens: number) => `${((1 - twoTool.tokens / tokens) * 100).toFixed(1)} %`;
const direct = await listed("direct");
const twoTool = await listed("two-tool");
console.table([
  {
    "tools mounted": direct.tools,
    "tokens direct": direct.tokens,
    "tokens two-tool": twoTool.tokens,
    reduction: percent(direct.tokens),
  },
]);

/** The packs in mounting order. The store's tools are on every server. */
const bundled = ["filesystem", "search", "canvas", "issues", "memory", "planner", "workflows"];
const enough = 40;
const budget = { enough: 600, furtherPack: 15 };

// One pack after the other, since a set of other packs may need more.
const rows = [];
let most: number | undefined;
for (let count = 1; count <= bundled.length; count += 1) {
  const without = bundled.slice(count);
  const { tools } = await listed("direct", without);
  const { tokens } = await listed("two-tool", without);
  if (tools >= enough) most = most === undefined ? budget.enough : most + budget.furtherPack;
  const allowed = most ?? Number.NaN;
  rows.push({
    with: bundled[count - 1],
    "tools mounted": tools,
    "tokens two-tool": tokens,
    "at most": most ?? "",
    kept: most === undefined ? `fewer than ${enough} tools` : tokens <= allowed,
  });
}
console.table(rows);
rmSync(folder, { recursive: true });
