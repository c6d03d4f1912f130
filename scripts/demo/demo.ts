// `pnpm start`: what Toolpacks does, by the real server and a real MCP client, with this repository's own files.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { call, cli, connect, listCost, root } from "./connect.ts";
import { printBars, printHeading, printLine, printWhole, printWrapped, styled } from "./screen.ts";

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-demo-"));
const config = path.join(folder, "toolpacks.config.json");
const sample = fileURLToPath(new URL("./sample-server.ts", import.meta.url));
const desk = { command: process.execPath, args: [sample] };
writeFileSync(config, JSON.stringify({ mcpServers: { desk } }));
const flags = ["--config", config, "--trust", "--store", path.join(folder, "store.db"), "--write"];

/** Tools of the sample server, and of all bundled packs. */
const sampleTools = 117;
const minBundledTools = 50;

async function showLists(): Promise<Client> {
  const direct = await connect(...flags, "--surface", "direct");
  const all = await listCost(direct, sampleTools + minBundledTools);
  await direct.close();
  const twoTool = await connect(...flags, "--surface", "two-tool");
  const two = await listCost(twoTool, 1);
  await twoTool.close();
  const discovery = await connect(...flags, "--surface", "discovery");
  const found = await listCost(discovery, 1);
  printHeading(`${all.entries} tools: what a client reads before the first question, in tokens`);
  printBars([
    { label: "direct", value: all.tokens, note: `${all.entries} tools listed` },
    { label: "discovery", value: found.tokens, note: `${found.entries} tools find the others` },
    { label: "two-tool", value: two.tokens, note: `${two.entries} tools, with context` },
  ]);
  return discovery;
}

async function showSearch(client: Client): Promise<void> {
  const query = "read the first lines of a file";
  printHeading(`A model finds a tool: tool_search ${JSON.stringify(query)}`);
  printWrapped(await call(client, "tool_search", { query, limit: 1 }));
  const args = { path: "LICENSE", endLine: 3 };
  printHeading(`and calls it: tool_read ${JSON.stringify({ name: "fs_read", args })}`);
  printWrapped(await call(client, "tool_read", { name: "fs_read", args }));
}

/** One call of each part, with what is worth seeing of its answer. */
const parts: readonly (readonly [string, string, Record<string, unknown>, RegExp?])[] = [
  [
    "store",
    "store_put",
    { kind: "reminder", record: { text: "Water the plants", due: "2027-01-04", repeat: "FREQ=WEEKLY" } },
  ],
  [
    "issues",
    "tool_invoke",
    {
      name: "issue_create",
      args: { issues: [{ title: "Bake bread" }, { title: "Eat it", depends: ["#1"] }] },
    },
    /.*Eat it.*/,
  ],
  ["memory", "tool_invoke", { name: "memory_remember", args: { text: "The oven is called Vesta.", about: ["oven"] } }],
  [
    "workflow",
    "workflow_eval",
    {
      steps: [
        { id: "read", tool: "fs_read", params: { path: "package.json" } },
        { id: "found", tool: "memory_recall", params: { query: "oven" } },
      ],
    },
    /found: .*/,
  ],
  ["relay", "tool_read", { name: "fs_read", args: { path: "pnpm-lock.yaml", endLine: 2000 } }],
  ["server", "tool_invoke", { name: "desk_get_invoice", args: { invoice_id: "2026-11" } }],
];

async function showParts(client: Client): Promise<void> {
  printHeading("The rest, one call each");
  for (const [part, name, args, shown] of parts) {
    const text = await call(client, name, args);
    const line = shown?.exec(text)?.[0] ?? text.replaceAll(/\s*\n\s*/g, " | ");
    printLine(`  ${styled("green", "✓")} ${part.padEnd(9)} ${line}`);
  }
}

/** The entry for the clients that are installed here, or for any client. */
function showSetup(): void {
  const init = () =>
    execFileSync(process.execPath, [cli, "init", "--print"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  printHeading("To use it");
  try {
    printWhole(init().trimEnd());
    printLine();
    printLine(
      `  ${styled("cyan", `node ${path.relative(process.cwd(), cli)} init`)} writes this, and --undo takes it back.`,
    );
  } catch {
    const entry = { command: process.execPath, args: [cli, "--root", root] };
    printWhole(
      `Add this to the config file of your MCP client:\n${JSON.stringify({ mcpServers: { toolpacks: entry } }, undefined, 2)}`,
    );
  }
}

try {
  const client = await showLists();
  await showSearch(client);
  await showParts(client);
  await client.close();
  showSetup();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
