import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { percentile } from "./connection.ts";
import { measureWays } from "./ways.ts";

const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));
const bare = fileURLToPath(new URL("./bare-server.mjs", import.meta.url));
const relay = fileURLToPath(new URL("./relay.mjs", import.meta.url));
const official = (name: string) =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
const everything = official("everything");
const filesystem = official("filesystem");

const negotiating: ClientOptions = { versionNegotiation: { mode: "auto" } };

/** Another server behind toolpacks, beside the same server without: what five of them cost at the start, and one at each call. */
export async function measureUpstream(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
  try {
    await measureStart(folder);
    await measureTools(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A config file with so many servers, of which the first three are called. */
function configure(folder: string, servers: number): string[] {
  const called = [[everything], [bare], [filesystem, folder]];
  const blocks = Array.from({ length: servers }, (_, at) => {
    const args = called[at] ?? [everything, "stdio"];
    return [`server-${at}`, { command: process.execPath, args }] as const;
  });
  const file = path.join(folder, `${servers}.json`);
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(blocks) }));
  return [cli, "--config", file, "--log-level", "silent", "--store", path.join(folder, "store.db")];
}

async function connect(args: readonly string[], folder: string, options?: ClientOptions): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" }, options);
  const env = { XDG_CACHE_HOME: path.join(folder, "cache"), XDG_DATA_HOME: path.join(folder, "data") };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], env, stderr: "ignore" }));
  return client;
}

async function measureStart(folder: string, runs = 20): Promise<void> {
  const contestants = [0, 5].map((servers) => ({ servers, args: configure(folder, servers), times: [] as number[] }));
  for (let run = 0; run <= runs; run += 1) {
    for (const { args, times } of contestants) {
      const started = performance.now();
      const client = await connect(args, folder);
      await client.listTools();
      if (run > 0) times.push(performance.now() - started);
      await client.close();
    }
  }
  const none = percentile(contestants[0]?.times ?? [], 0.5);
  console.log(`start to answered tools/list with other servers mounted, median of ${runs}`);
  console.table(
    contestants.map(({ servers, times }) => ({
      servers,
      ms: percentile(times, 0.5).toFixed(1),
      ratio: (percentile(times, 0.5) / none).toFixed(2),
    })),
  );
}

async function measureTools(folder: string): Promise<void> {
  const ways = (
    server: readonly string[],
    name: string,
    { tool, args }: { tool: string; args: Record<string, unknown> },
  ) => [
    // Both in the protocol that toolpacks speaks to it, the latest that it knows.
    { way: "directly", start: () => connect(server, folder, negotiating), call: { name: tool, arguments: args } },
    {
      way: "through a relay of bytes",
      start: () => connect([relay, ...server], folder, negotiating),
      call: { name: tool, arguments: args },
    },
    {
      way: "through toolpacks",
      start: () => connect(configure(folder, 5), folder),
      call: { name: "tool_invoke", arguments: { name: `${name}_${tool}`, args } },
    },
  ];
  console.log("one call of another server's tool");
  console.table(await measureWays(ways([everything], "server_0", { tool: "echo", args: { message: "hello" } })));
  console.table(await measureWays(ways([bare], "server_1", { tool: "noop", args: { name: "noop" } })));
  const file = path.join(folder, "small.txt");
  writeFileSync(file, "a small file\n".repeat(100));
  console.table(
    await measureWays(ways([filesystem, folder], "server_2", { tool: "read_text_file", args: { path: file } })),
  );
}
