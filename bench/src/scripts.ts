// `node --expose-gc bench/src/scripts.ts`: scripts of `workflow_eval` beside the same calls as its steps: the time of the
// first script and of later ones, of a call inside them beside a message to a thread and back, and the memory after a hundred
// runs. After a build.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createCatalog, createDispatcher, definePack, defineTool } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { workflows } from "@toolpacks/workflows";
import { z } from "zod";
import { percentile } from "./connection.ts";

const calls = 50;
const rounds = 60;

const pack = definePack({
  name: "noop",
  description: "Tools that do nothing.",
  budget: 200,
  tools: () =>
    [true, false].map((mutates) =>
      defineTool({
        name: mutates ? "noop_write" : "noop_read",
        description: "Do nothing.",
        mutates,
        input: z.object({}),
        output: z.object({ done: z.boolean() }),
        handler: () => ({ done: true }),
      }),
    ),
});

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const store = sqlite(path.join(folder, "store.db"));
const dispatcher = createDispatcher(createCatalog({ packs: [pack(), workflows({ store, reports: { keep: 10 } })] }));

async function timeOf(args: object): Promise<number> {
  const started = performance.now();
  const outcome = await dispatcher.dispatch({ name: "workflow_eval", args });
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return performance.now() - started;
}

const asSteps = (tool: string, count: number) => ({ steps: Array.from({ length: count }, () => ({ tool })) });
const asCode = (tool: string, count: number) => ({
  code: `for (let i = 0; i < ${count}; i += 1) await tools.${tool}({}); return null;`,
});

// The workflows pack is loaded, and no thread.
await timeOf(asSteps("noop_read", 1));
const first = await timeOf({ code: "return 1" });
const [later, oneStep]: [number[], number[]] = [[], []];
for (let round = 0; round < rounds; round += 1) {
  // A client thinks between its calls. Meanwhile the thread makes the next machine.
  await wait(20);
  later.push(await timeOf({ code: "return 1" }));
  oneStep.push(await timeOf(asSteps("noop_read", 1)));
}
const types = await timeOf({ code: "const n: number = 1; return n" });
console.table([
  { script: "the first", ms: first.toFixed(1) },
  { script: "a later one, p50", ms: percentile(later, 0.5).toFixed(1) },
  { script: "a run of one step beside it, p50", ms: percentile(oneStep, 0.5).toFixed(1) },
  { script: "a later one, p95", ms: percentile(later, 0.95).toFixed(1) },
  { script: "the first one with types", ms: types.toFixed(1) },
]);

const rows = [];
for (const tool of ["noop_read", "noop_write"]) {
  const times = { steps: [] as number[], code: [] as number[] };
  for (let round = -10; round < rounds; round += 1) {
    // Old reports are removed after each run.
    await wait(20);
    const one = await timeOf(asSteps(tool, calls));
    await wait(20);
    const other = await timeOf(asCode(tool, calls));
    if (round < 0) continue;
    times.steps.push(one);
    times.code.push(other);
  }
  // Other programs disturb the median more than the fastest tenth: a call of a script changes threads.
  for (const share of [0.1, 0.5]) {
    const [step, call] = [percentile(times.steps, share) / calls, percentile(times.code, share) / calls];
    const ms = { "ms a step": step.toFixed(3), "ms a call of code": call.toFixed(3) };
    rows.push({ tool, percentile: share * 100, ...ms, ratio: (call / step).toFixed(2) });
  }
}
console.table(rows);

const echo = new Worker(
  'const { parentPort: port } = require("node:worker_threads"); port.on("message", (m) => port.postMessage(m))',
  {
    eval: true,
  },
);
const hops: number[] = [];
for (let hop = 0; hop < 5_000; hop += 1) {
  const started = performance.now();
  echo.postMessage({ deliveries: [{ id: 1, kind: "value", json: "{}", at: 1 }] });
  await new Promise((resolve) => echo.once("message", resolve));
  hops.push(performance.now() - started);
}
await echo.terminate();
console.log(
  `a message to a thread and back: ${percentile(hops, 0.1).toFixed(3)} ms, p50 ${percentile(hops, 0.5).toFixed(3)} ms`,
);

const rss = () => (globalThis.gc?.(), process.memoryUsage().rss / 1024 / 1024);
const runMany = async (count: number) => {
  for (let run = 0; run < count; run += 1)
    await timeOf({
      code: "const a = []; for (let i = 0; i < 1e5; i += 1) a.push({ i }); await tools.noop_read({}); return a.length",
    });
};
await runMany(100);
const before = rss();
await runMany(100);
console.log(`memory: ${before.toFixed(0)} MiB, and ${rss().toFixed(0)} MiB after a hundred more runs`);
await dispatcher.idle();
await store.end();
rmSync(folder, { recursive: true });
