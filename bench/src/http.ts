// Requests per second of a no-op over Streamable HTTP, of a bare 2.x server and of Toolpacks in one run, in interleaved rounds, and the memory of
// Toolpacks after many requests. The memory pack writes no traces, unless `--traces`. `--url` measures a server that runs already, such as replicas behind a proxy; `--token` is its bearer token.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import autocannon from "autocannon";

const { values: options } = parseArgs({
  options: {
    url: { type: "string" },
    token: { type: "string" },
    tokens: { type: "string" },
    "log-level": { type: "string", default: "info" },
    rounds: { type: "string", default: "7" },
    // A server that rests for longer than about 5 s is slow again for seconds, because V8 drops compiled code.
    seconds: { type: "string", default: "2" },
    memory: { type: "boolean", default: false },
    traces: { type: "boolean", default: false },
  },
});

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const connections = 16;

interface Target {
  readonly name: string;
  readonly url: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly token?: string | undefined;
  readonly process?: ChildProcess;
}

type Era = "2026-07-28" | "2025-11-25";

const eras: readonly Era[] = ["2026-07-28", "2025-11-25"];

/** Starts a server on a free port and waits until it accepts connections. */
async function start(argsFor: (port: string) => readonly string[]) {
  const port = await freePort();
  const child = spawn(process.execPath, [...argsFor(String(port))], { stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => void (text = (text + chunk.toString()).slice(-10_000)));
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${text}`);
    await delay(50);
  }
  return { url: `http://127.0.0.1:${port}/mcp`, process: child };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function targets(): Promise<readonly Target[]> {
  const { url, token, tokens } = options;
  const bare = await start((port) => [here("./bare-http-server.mjs"), port]);
  const direct = { tool: "noop", args: {}, token };
  const invoked = { tool: "tool_invoke", args: { name: "noop", args: {} }, token };
  const first = { name: "bare 2.x server", ...bare, ...direct, token: undefined };
  if (url !== undefined) return [first, { name: url, url, ...invoked }];
  const config = here(options.traces ? "./noop.config.json" : "./noop-untraced.config.json");
  const common = ["serve", "--http", "--config", config, "--log-level", options["log-level"]];
  if (tokens !== undefined) common.push("--tokens", tokens);
  const serve = (...flags: string[]) =>
    start((port) => [here("../../apps/server/dist/cli.js"), ...common, "--port", port, ...flags]);
  return [
    first,
    { name: "toolpacks, direct", ...(await serve("--surface", "direct")), ...direct },
    { name: "toolpacks, tool_invoke", ...(await serve()), ...invoked },
  ];
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function requestOf({ url, tool, args, token }: Target, era: Era): autocannon.Options {
  const isModern = era === "2026-07-28";
  const params = { name: tool, arguments: args, ...(isModern && { _meta: envelope }) };
  return {
    url,
    connections,
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": era,
      ...(isModern && { "mcp-method": "tools/call", "mcp-name": tool }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
}

async function measure(target: Target, era: Era, amount: { duration: number } | { amount: number }) {
  const result = await autocannon({ ...requestOf(target, era), ...amount });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${target.name}: ${result.non2xx} refused`);
  return result;
}

/** Processor time that a process has used, in ms. The system counts it in hundredths of a second. */
function processorMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

interface Round {
  readonly perSecond: number;
  /** Processor time of one request, in µs. Other programs on the machine change it less than the rate. */
  readonly processorUs: number;
}

async function measureRound(target: Target, era: Era): Promise<Round> {
  const before = target.process && processorMs(target.process);
  const { requests } = await measure(target, era, { duration: Number(options.seconds) });
  const used = target.process && before !== undefined ? processorMs(target.process) - before : Number.NaN;
  return { perSecond: requests.average, processorUs: (used * 1_000) / requests.total };
}

async function measureRates(all: readonly Target[]): Promise<void> {
  for (const era of eras) {
    const rounds: (readonly Round[])[] = [];
    for (let round = 0; round <= Number(options.rounds); round += 1) {
      const results: Round[] = [];
      for (const target of all) results.push(await measureRound(target, era));
      // The first round warms up.
      if (round > 0) rounds.push(results);
    }
    const medianOf = (at: number, value: (own: Round, bare: Round) => number) =>
      median(rounds.flatMap(({ [at]: own, 0: bare }) => (own && bare ? [value(own, bare)] : [])));
    console.log(`no-op calls of clients of ${era}, ${connections} connections, median of ${options.rounds} rounds`);
    console.table(
      all.map(({ name }, at) => ({
        server: name,
        perSecond: Math.round(medianOf(at, (own) => own.perSecond)),
        ratio: medianOf(at, (own, bare) => own.perSecond / bare.perSecond).toFixed(2),
        processorUs: Math.round(medianOf(at, (own) => own.processorUs)),
        processorRatio: medianOf(at, (own, bare) => bare.processorUs / own.processorUs).toFixed(2),
      })),
    );
  }
}

function residentMegabytes({ pid }: ChildProcess): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

async function measureMemory(all: readonly Target[]): Promise<void> {
  const rows: object[] = [];
  for (const target of all) {
    if (target.process === undefined) continue;
    await measure(target, "2026-07-28", { amount: 20_000 });
    const after20k = residentMegabytes(target.process);
    await measure(target, "2026-07-28", { amount: 180_000 });
    const after200k = residentMegabytes(target.process);
    const ratio = (after200k / after20k).toFixed(2);
    rows.push({ server: target.name, after20k: Math.round(after20k), after200k: Math.round(after200k), ratio });
  }
  console.log("resident memory in MiB after 20,000 and 200,000 requests");
  console.table(rows);
}

const all = await targets();
if (options.memory) await measureMemory(all);
else await measureRates(all);
for (const { process: child } of all) child?.kill();
process.exit(0);
