// `node bench/src/issues.ts [issues] [folder]`: the issues pack on a tracker of 100,000 issues with 200,000
// dependencies, through dispatch. A folder keeps the store for the next run, which then closes other issues.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, type Dispatcher, type OwnedStore } from "@toolpacks/core";
import { issueKind, issues } from "@toolpacks/issues";
import { generateIssues, type GeneratedIssue } from "@toolpacks/issues/fixture";
import { importIssues } from "@toolpacks/issues/tracker";
import { sqlite } from "@toolpacks/store-sqlite";

const count = Number(process.argv[2] ?? 100_000);
const kept = process.argv[3];
/** Issues that each block ten others and nothing else. */
const hubs = 220;
const waiting = 10;
const reads = 2_000;

/** Issues as in a real tracker, some of which unblock ten others when closed. */
function makeLines(): readonly string[] {
  const apart = hubs * (waiting + 1);
  const dependencies = count * 2 - hubs * waiting;
  const rest = generateIssues({ count: count - apart, dependencies });
  const created_at = "2026-06-01T00:00:00Z";
  let made = 0;
  const issue = (id: string, on: readonly string[]): GeneratedIssue => ({
    id,
    title: `issue ${id}`,
    // Like the others': the longer an issue, the more it costs to write.
    description: rest[(made += 1)]?.["description"],
    status: "open",
    priority: 2,
    issue_type: "task",
    created_at,
    ...(on.length > 0 && {
      dependencies: on.map((depends_on_id) => ({ issue_id: id, depends_on_id, type: "blocks" })),
    }),
  });
  const blockers = Array.from({ length: hubs }, (_, hub) => [
    issue(`hub-${hub}`, []),
    ...Array.from({ length: waiting }, (_unused, at) => issue(`hub-${hub}.${at}`, [`hub-${hub}`])),
  ]).flat();
  const all = [...rest, ...blockers];
  const edges = all.reduce((sum, { dependencies: some = [] }) => sum + some.length, 0);
  process.stdout.write(`${all.length} issues, ${edges} dependencies\n`);
  return all.map((one) => JSON.stringify(one));
}

async function fill(store: OwnedStore): Promise<void> {
  const start = performance.now();
  const { added, bad } = await importIssues({ store, kind: issueKind() }, makeLines(), {
    progress: (done, total) => void process.stderr.write(`${done} of ${total}\r`),
  });
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  process.stdout.write(`imported ${added} in ${seconds} s, ${bad.length} bad lines\n`);
}

async function call(dispatcher: Dispatcher, name: string, args: unknown): Promise<Readonly<Record<string, unknown>>> {
  const outcome = await dispatcher.dispatch({ name, args });
  if (!outcome.ok) throw new Error(`${name}: ${outcome.failure.message}`);
  return outcome.value ?? {};
}

async function time(calls: number, work: (at: number) => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; at < calls; at += 1) {
    const start = performance.now();
    await work(at);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

if (kept !== undefined) mkdirSync(kept, { recursive: true });
const folder = kept ?? mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const file = path.join(folder, `issues-${count}.db`);
const isNew = !existsSync(file);
const store = sqlite(file);
if (isNew) await fill(store);
const dispatcher = createDispatcher(createCatalog({ packs: [issues({ store })] }));
if (!isNew) {
  for (let hub = 0; hub < hubs; hub += 1) await store.reopen(issueKind(), `hub-${hub}`);
}

// Node compiles hot code in the first thousands of calls.
await time(reads, () => call(dispatcher, "issue_ready", { limit: 10 }));
const { total } = await call(dispatcher, "issue_ready", { limit: 10 });
process.stdout.write(`${String(total)} ready\n`);
const measured = {
  "issue_ready, 10 of them": await time(reads, () => call(dispatcher, "issue_ready", { limit: 10 })),
  "issue_ready, bugs of them": await time(reads, () =>
    call(dispatcher, "issue_ready", { limit: 10, where: { issue_type: "bug" } }),
  ),
  "issue_ready, by words": await time(reads, (at) =>
    call(dispatcher, "issue_ready", { limit: 10, where: { text: `cache${at % 400}` } }),
  ),
  "issue_blocked, 10 of them": await time(reads, () => call(dispatcher, "issue_blocked", { limit: 10 })),
  "issue_close that unblocks 10": await time(hubs, async (hub) => {
    const { unblocked } = await call(dispatcher, "issue_close", { ids: [`hub-${hub}`] });
    if (!Array.isArray(unblocked) || unblocked.length !== waiting)
      throw new Error(`hub-${hub}: unblocked not ${waiting}`);
  }),
  "issue_create with two dependencies": await time(hubs, (at) =>
    call(dispatcher, "issue_create", { issues: [{ title: "new", depends: [`hub-${at}`, `hub-${at}.0`] }] }),
  ),
  "issue_claim of the first ready": await time(hubs, (at) => call(dispatcher, "issue_claim", { actor: `agent-${at}` })),
};
const at = (times: readonly number[], part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(2);
console.table(
  Object.entries(measured).map(([what, times]) => ({ what, "p50 ms": at(times, 0.5), "p99 ms": at(times, 0.99) })),
);
await store.end();
if (kept === undefined) rmSync(folder, { recursive: true });
