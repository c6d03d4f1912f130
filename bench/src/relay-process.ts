// What `toolpacks relay` costs beside the server alone and beside a relay of bytes.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { connect, percentile } from "./connection.ts";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const official = (name: string) =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);

interface Contestant {
  readonly way: string;
  readonly client: Client;
  readonly times: number[];
}

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const filesystem = [official("filesystem"), folder];
const calls = [
  { server: [official("everything")], name: "echo", arguments: { message: "hello" } },
  { server: filesystem, name: "list_allowed_directories", arguments: {} },
  { server: filesystem, name: "get_file_info", arguments: { path: path.join(folder, "small.txt") } },
  { server: filesystem, name: "read_text_file", arguments: { path: path.join(folder, "small.txt") } },
];

try {
  writeFileSync(path.join(folder, "small.txt"), "a small file\n".repeat(100));
  console.log(`one small call, p50 of 20 rounds of 200, the three in turn; ${cpus().length} cores`);
  for (const call of calls) console.table(await measureCall(call));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function measureCall({ server, ...call }: (typeof calls)[number], rounds = 20, callsPerRound = 200) {
  const cli = here("../../apps/server/dist/cli.js");
  const ways = {
    directly: server,
    "relay of bytes": [here("./relay.mjs"), ...server],
    "toolpacks relay": [cli, "relay", "--", process.execPath, ...server],
  };
  const contestants: Contestant[] = [];
  for (const [way, args] of Object.entries(ways)) contestants.push({ way, client: await connect(args), times: [] });
  for (let round = 0; round <= rounds; round += 1) {
    for (const { client, times } of contestants) {
      for (let n = 0; n < callsPerRound; n += 1) {
        const started = performance.now();
        const result = await client.callTool(call);
        // The first round only warms up.
        if (round > 0) times.push(performance.now() - started);
        if (result.isError === true) throw new Error(JSON.stringify(result.content));
      }
    }
  }
  await Promise.all(contestants.map(({ client }) => client.close()));
  const p50 = contestants.map(({ times }) => percentile(times, 0.5));
  return contestants.map(({ way, times }, at) => ({
    call: call.name,
    way,
    p50Ms: p50[at]?.toFixed(3),
    p10Ms: percentile(times, 0.1).toFixed(3),
    toDirect: ((p50[at] ?? 0) / (p50[0] ?? 1)).toFixed(2),
    toBytes: ((p50[at] ?? 0) / (p50[1] ?? 1)).toFixed(2),
  }));
}
