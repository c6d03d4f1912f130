import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { percentile } from "./connection.ts";
import { measureWays, type Way } from "./ways.ts";

const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));
const bare = fileURLToPath(new URL("./bare-server.mjs", import.meta.url));
const relay = fileURLToPath(new URL("./relay.mjs", import.meta.url));
const official = (name: string) =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
const everything = official("everything");
const filesystem = official("filesystem");
const mcpProxy = fileURLToPath(new URL("bin/mcp-proxy.mjs", import.meta.resolve("mcp-proxy")));

const negotiating: ClientOptions = { versionNegotiation: { mode: "auto" } };

/** Another server behind toolpacks, compared with the server itself: cost of five at the start, and of one at each call. */
export async function measureUpstream(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
  try {
    await measureStart(folder);
    await measureTools(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A config file with this number of servers. The first three are called. */
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

/** A server behind `mcp-proxy`, which clients reach over Streamable HTTP. It ends with the client's connection. */
async function connectProxy(server: readonly string[]): Promise<Client> {
  const port = await freePort();
  const flags = ["--host", "127.0.0.1", "--port", String(port), "--server", "stream"];
  const child = spawn(process.execPath, [mcpProxy, ...flags, "--", process.execPath, ...server], { stdio: "ignore" });
  for (let attempt = 1; ; attempt += 1) {
    const client = new Client({ name: "bench", version: "1.0.0" });
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
      client.onclose = () => void child.kill();
      return client;
    } catch (error) {
      if (attempt === 100 || child.exitCode !== null) throw error;
      await wait(100);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
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
      way: "through a pipe of bytes",
      start: () => connect([relay, ...server], folder, negotiating),
      call: { name: tool, arguments: args },
    },
    { way: "through mcp-proxy", start: () => connectProxy(server), call: { name: tool, arguments: args } },
    {
      way: "through toolpacks",
      start: () => connect(configure(folder, 5), folder),
      call: { name: "tool_invoke", arguments: { name: `${name}_${tool}`, args } },
    },
  ];
  console.log("one call of another server's tool");
  await report(ways([everything], "server_0", { tool: "echo", args: { message: "hello" } }));
  await report(ways([bare], "server_1", { tool: "noop", args: { name: "noop" } }));
  const file = path.join(folder, "small.txt");
  writeFileSync(file, "a small file\n".repeat(100));
  await report(ways([filesystem, folder], "server_2", { tool: "read_text_file", args: { path: file } }));
}

async function report(ways: readonly Way[]): Promise<void> {
  const rows = await measureWays(ways);
  console.table(rows);
  const [, pipe = 0, proxy = 0, own = 0] = rows.map(({ meanMs }) => Number(meanMs));
  console.log(
    `toolpacks: ${(own / proxy).toFixed(2)} of mcp-proxy, ${(own / pipe).toFixed(2)} of a pipe of bytes (mean)`,
  );
}
