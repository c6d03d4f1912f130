// `node bench/src/traces.ts`: what traces cost a call: the same server with and without them, in turns; after a build.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { connect, percentile } from "./connection.ts";

const pairs = 1_500;
/** An agent thinks between calls; back to back is what no agent does, and what leaves traces no time. */
const pauses = [5, 0];

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const cli = fileURLToPath(new URL("../../apps/server/dist/cli.js", import.meta.url));
writeFileSync(path.join(folder, "read.txt"), "a line of text that is read\n".repeat(40));
const config = (traces: boolean) => {
  const file = path.join(folder, `${traces}.json`);
  writeFileSync(file, JSON.stringify({ packs: { memory: { traces } } }));
  return file;
};
const flags = (traces: boolean) => [
  cli,
  "--root",
  folder,
  "--log-level",
  "silent",
  "--config",
  config(traces),
  "--store",
  path.join(folder, `${traces}.db`),
  "--workspace",
  "bench",
];
const calls = {
  "read a file": { name: "tool_read", arguments: { name: "fs_read", args: { path: "read.txt" } } },
  "put a record": {
    name: "store_put",
    arguments: { kind: "note", record: { text: "Something that is worth a line or two in the store of notes." } },
  },
};

const contestants = await Promise.all([connect(flags(false)), connect(flags(true))]);
const rows = [];
for (const pause of pauses) {
  for (const [what, call] of Object.entries(calls)) {
    const times: number[][] = contestants.map(() => []);
    for (let pair = -50; pair < pairs; pair += 1) {
      // In turns, and each first as often as the other: a noisy moment meets both.
      for (const at of pair % 2 === 0 ? [0, 1] : [1, 0]) {
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
        const start = performance.now();
        const result = await contestants[at]?.callTool(call);
        if (pair >= 0) times[at]?.push(performance.now() - start);
        if (result?.isError === true) throw new Error(JSON.stringify(result.content));
      }
    }
    const [off = [], on = []] = times;
    const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
    const slower = (measure: (of: readonly number[]) => number) =>
      `${((measure(on) / measure(off) - 1) * 100).toFixed(1)} %`;
    rows.push({
      what,
      "between calls": pause === 0 ? "nothing" : `${pause} ms`,
      "p50 off": percentile(off, 0.5).toFixed(3),
      "p50 on": percentile(on, 0.5).toFixed(3),
      "p50 slower": slower((of) => percentile(of, 0.5)),
      "p90 slower": slower((of) => percentile(of, 0.9)),
      "mean slower": slower(mean),
    });
  }
}
await Promise.all(contestants.map((client) => client.close()));
rmSync(folder, { recursive: true });
console.table(rows);
