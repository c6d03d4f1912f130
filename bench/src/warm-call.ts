// Time of one `toolpacks call`, process start included: in a warm server, in a process of its own, and by another client of the command line.
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { percentile } from "./connection.ts";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const cli = here("../../apps/server/dist/cli.js");
const mcporter = here("../../apps/server/node_modules/mcporter/dist/cli.js");
const other = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/dist/index.js");

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "toolpacks-bench-")));
const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder };
const warmth = (way: string) => ({ TOOLPACKS_WARM: way.endsWith("warm") ? "5" : "0" });
const config = { mcpServers: { other: { command: process.execPath, args: [other, folder] } } };

const list = ["call", "other_list_allowed_directories", "{}", "--config", path.join(folder, "config.json")];
const read = ["call", "fs_read", '{"path":"small.txt"}', "--root", "."];
const ways: Readonly<Record<string, readonly string[]>> = {
  "node -e 0": ["-e", "0"],
  "own tool, cold": [cli, ...read],
  "own tool, warm": [cli, ...read],
  "other server's tool, cold": [cli, ...list],
  "other server's tool, warm": [cli, ...list],
  "other server's tool, mcporter": [
    mcporter,
    "call",
    "list_allowed_directories",
    "--stdio",
    `${process.execPath} ${other} ${folder}`,
  ],
};

function measure(way: string, args: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { ...env, ...warmth(way) },
    encoding: "utf8",
    timeout: 30_000,
  });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return performance.now() - started;
}

const rounds = Number(process.argv[2] ?? 40);

try {
  writeFileSync(path.join(folder, "config.json"), JSON.stringify(config));
  writeFileSync(path.join(folder, "small.txt"), "a small file\n".repeat(10));
  const times = Object.values(ways).map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, [way, args]] of Object.entries(ways).entries()) {
      const ms = measure(way, args);
      // The first round starts the warm servers and fills the compile cache.
      if (round > 0) times[at]?.push(ms);
    }
  }
  console.log(`one call, process start included, ${rounds} rounds in turn; ${cpus().length} cores; ms`);
  console.table(
    Object.keys(ways).map((way, at) => ({
      way,
      p50: percentile(times[at] ?? [], 0.5).toFixed(0),
      p90: percentile(times[at] ?? [], 0.9).toFixed(0),
    })),
  );
} finally {
  spawnSync(process.execPath, [cli, "warm", "stop"], { cwd: folder, env });
  rmSync(folder, { recursive: true, force: true });
}
