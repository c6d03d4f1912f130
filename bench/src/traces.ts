// `node bench/src/traces.ts`: what traces cost a call: the same server with and without them, in turns; after a build.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { connect, percentile } from "./connection.ts";

const rounds = 1_500;
/** Pauses between calls, in ms. An agent thinks between calls. Without a pause, traces are written while calls run. */
const pauses = [5, 0];

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));
writeFileSync(path.join(folder, "read.txt"), "a line of text that is read\n".repeat(40));
/** The same server twice without traces, since no difference is one that is not greater than theirs. */
const contestants = { off: false, "off again": false, on: true } as const;

const flags = (name: keyof typeof contestants) => {
  const config = path.join(folder, `${name}.json`);
  writeFileSync(config, JSON.stringify({ packs: { memory: { traces: contestants[name] } } }));
  const store = path.join(folder, `${name}.db`);
  return [cli, "--root", folder, "--log-level", "silent", "--config", config, "--store", store, "--workspace", "bench"];
};
const calls = {
  "read a file": { name: "tool_read", arguments: { name: "fs_read", args: { path: "read.txt" } } },
  "put a record": {
    name: "store_put",
    arguments: { kind: "note", record: { text: "Something that is worth a line or two in the store of notes." } },
  },
};

interface Running {
  readonly client: Client;
  readonly pid: number;
}

async function start(name: keyof typeof contestants): Promise<Running> {
  const client = await connect(flags(name));
  const { transport } = client;
  return { client, pid: transport instanceof StdioClientTransport ? (transport.pid ?? 0) : 0 };
}

/** CPU time of a server's main thread in ms, from Linux's /proc. */
function running({ pid }: Running): number {
  const file = `/proc/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6 : Number.NaN;
}

const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
const median = (of: readonly number[]) => percentile(of, 0.5);
const slower = (one = Number.NaN, than = Number.NaN) => `${((one / than - 1) * 100).toFixed(1)} %`;

const servers = await Promise.all([start("off"), start("off again"), start("on")]);
const rows = [];
for (const pause of pauses) {
  for (const [what, call] of Object.entries(calls)) {
    const times: number[][] = servers.map(() => []);
    let before: readonly number[] = [];
    for (let round = -50; round < rounds; round += 1) {
      if (round === 0) before = servers.map(running);
      // In turns, and each first as often as the others: a noisy moment meets all.
      for (let turn = 0; turn < servers.length; turn += 1) {
        const at = (turn + round + 51) % servers.length;
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
        const began = performance.now();
        const result = await servers[at]?.client.callTool(call);
        if (round >= 0) times[at]?.push(performance.now() - began);
        if (result?.isError === true) throw new Error(JSON.stringify(result.content));
      }
    }
    const ran = servers.map((server, at) => running(server) - (before[at] ?? 0));
    const [off = [], again = [], on = []] = times;
    rows.push({
      what,
      "between calls": pause === 0 ? "nothing" : `${pause} ms`,
      "p50 off": median(off).toFixed(3),
      "p50 on": median(on).toFixed(3),
      "p50 slower": slower(median(on), median(off)),
      "mean slower": slower(mean(on), mean(off)),
      "main thread busier": slower(ran[2], ran[0]),
      "off again: p50": slower(median(again), median(off)),
      mean: slower(mean(again), mean(off)),
      "main thread": slower(ran[1], ran[0]),
    });
  }
}
await Promise.all(servers.map(({ client }) => client.close()));
rmSync(folder, { recursive: true });
console.table(rows);
