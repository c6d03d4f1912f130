import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { percentile } from "./connection.ts";

const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));
const bare = fileURLToPath(new URL("./bare-server.mjs", import.meta.url));
const relay = fileURLToPath(new URL("./relay.mjs", import.meta.url));
const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

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

/** A config file with so many servers; the first alone is called. */
function configure(folder: string, servers: number): string[] {
  const blocks = Array.from({ length: servers }, (_, at) => {
    const args = at === 0 ? [everything] : at === 1 ? [bare] : [everything, "stdio"];
    return [`server-${at}`, { command: process.execPath, args }] as const;
  });
  const file = path.join(folder, `${servers}.json`);
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(blocks) }));
  return [cli, "--config", file, "--log-level", "silent", "--store", path.join(folder, "store.db")];
}

async function connect(args: readonly string[], folder: string): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
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

interface Called {
  readonly name: string;
  readonly client: Client;
  readonly call: { readonly name: string; readonly arguments: Record<string, unknown> };
  readonly times: number[];
}

async function measureTools(folder: string, rounds = 10, callsPerRound = 300): Promise<void> {
  const through = await connect(configure(folder, 5), folder);
  const contestant = (name: string, client: Client, call: Called["call"]): Called => ({
    name,
    client,
    call,
    times: [],
  });
  const echo = { name: "echo", arguments: { message: "hello" } };
  const noop = { name: "noop", arguments: { name: "noop", args: {} } };
  const invoke = (name: string, args: object) => ({ name: "tool_invoke", arguments: { name, args } });
  const pairs = [
    [
      contestant("everything, directly", await connect([everything], folder), echo),
      contestant("everything, through a relay of bytes", await connect([relay, everything], folder), echo),
      contestant("everything, through toolpacks", through, invoke("server_0_echo", echo.arguments)),
    ],
    [
      contestant("bare server, directly", await connect([bare], folder), noop),
      contestant("bare server, through a relay of bytes", await connect([relay, bare], folder), noop),
      contestant("bare server, through toolpacks", through, invoke("server_1_noop", noop.arguments)),
    ],
  ];
  for (let round = 0; round <= rounds; round += 1) {
    for (const { client, call, times } of pairs.flat()) {
      for (let n = 0; n < callsPerRound; n += 1) {
        const started = performance.now();
        const result = await client.callTool(call);
        if (round > 0) times.push(performance.now() - started);
        if (result.isError === true) throw new Error(JSON.stringify(result.content));
      }
    }
  }
  await Promise.all([...new Set(pairs.flat().map(({ client }) => client))].map((client) => client.close()));
  console.log(
    `one call of another server's tool, median of ${rounds * callsPerRound}; overhead is what is beyond the direct call`,
  );
  console.table(
    pairs.flatMap((pair) =>
      pair.map(({ name, times }) => {
        const direct = percentile(pair[0]?.times ?? [], 0.5);
        const own = percentile(times, 0.5);
        return {
          call: name,
          p50Ms: own.toFixed(3),
          p10Ms: percentile(times, 0.1).toFixed(3),
          directCalls: (own / direct).toFixed(2),
        };
      }),
    ),
  );
}
