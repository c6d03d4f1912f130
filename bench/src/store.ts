// `node bench/src/store.ts [records] [folder]`: a store with a million records compared with 10,000, in one run. A folder keeps them for the
// next run, which then measures stores that have grown by what this one wrote.
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineKind, type OwnedStore } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";
import { randomNumbers } from "./random-numbers.ts";

const ticket = defineKind({
  name: "ticket",
  schema: z.object({
    title: z.string(),
    body: z.string(),
    status: z.enum(["open", "busy", "done"]),
    priority: z.int(),
    assignee: z.string(),
    labels: z.array(z.string()),
    due: z.string(),
  }),
  indexes: ["status", "assignee", "due", "labels", ["assignee", "priority"]],
  text: ["title", "body"],
});

const small = 10_000;
const calls = 2_000;
/** How many records hold each word that is searched for. */
const matchesPerWord = [1, 10, 100, 300, 1_000];

function makeTicket(random: (below: number) => number, total: number) {
  const words = Array.from({ length: 12 }, () => `word${random(30_000)}`);
  // A word that this number of records holds on average.
  const rare = matchesPerWord.flatMap((matches) => {
    const words = Math.max(1, Math.floor(total / 10 / matches));
    return random(total) < matches * words ? [`rare${matches}x${random(words)}`] : [];
  });
  return {
    title: `${words[0]} ${words[1]} ${words[2]}`,
    body: [...words.slice(3), ...rare].join(" "),
    status: (["open", "busy", "done"] as const)[random(3)] ?? "open",
    priority: random(5),
    assignee: `person${random(Math.max(10, total / 200))}`,
    labels: [`label${random(1_000)}`, `label${random(1_000)}`],
    due: new Date(1_800_000_000_000 + random(1e9) * 1_000).toISOString(),
  };
}

async function fill(store: OwnedStore, count: number): Promise<void> {
  const random = randomNumbers(1);
  const batch = 5_000;
  for (let at = 0; at < count; at += batch) {
    await store.transaction(async (inside) => {
      for (let record = at; record < Math.min(count, at + batch); record += 1) {
        await inside.put(ticket, makeTicket(random, count), { id: `t${record}` });
      }
    });
    if (at % 100_000 === 0) process.stderr.write(`${at} of ${count}\r`);
  }
}

interface Timing {
  readonly p50: number;
  readonly p99: number;
}

async function time(work: (at: number) => Promise<unknown>): Promise<Timing> {
  for (let at = 0; at < 50; at += 1) await work(at);
  const times: number[] = [];
  for (let at = 0; at < calls; at += 1) {
    const start = performance.now();
    await work(at);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(calls * 0.5)] ?? 0, p99: times[Math.floor(calls * 0.99)] ?? 0 };
}

async function measure(store: OwnedStore, count: number): Promise<Record<string, Timing>> {
  const random = randomNumbers(2);
  const people = Math.max(10, count / 200);
  const one = makeTicket(random, count);
  return {
    get: await time(() => store.get(ticket, `t${random(count)}`)),
    "put new": await time(() => store.put(ticket, makeTicket(random, count))),
    "put over": await time(() => store.put(ticket, makeTicket(random, count), { id: `t${random(count)}` })),
    patch: await time(() => store.put(ticket, { priority: random(5) }, { id: `t${random(count)}`, patch: true })),
    "query by one field (200 match)": await time(() =>
      store.query(ticket, { filter: { assignee: `person${random(people)}` }, limit: 20 }),
    ),
    "query by a field that a third match": await time(() =>
      store.query(ticket, { filter: { status: one.status }, limit: 20 }),
    ),
    "query by one field, sorted by another": await time(() =>
      store.query(ticket, { filter: { assignee: `person${random(people)}` }, sort: ["-priority"], limit: 20 }),
    ),
    "query by a range, sorted": await time(() => {
      const from = new Date(1_800_000_000_000 + random(1e9) * 1_000);
      const to = new Date(from.getTime() + (1e12 / count) * 200);
      const due = { gte: from.toISOString(), lt: to.toISOString() };
      return store.query(ticket, { filter: { due }, sort: ["due"], limit: 20 });
    }),
    "query by a label and a field": await time(() =>
      store.query(ticket, { filter: { labels: { contains: `label${random(1_000)}` }, status: one.status }, limit: 20 }),
    ),
    "query by words (1 to 1,000 match)": await time((at) => {
      const matches = matchesPerWord[at % matchesPerWord.length] ?? 1;
      const words = Math.max(1, Math.floor(count / 10 / matches));
      return store.query(ticket, { text: `rare${matches}x${random(words)}`, limit: 20 });
    }),
    "query by a word that 1,000 match": await time(() =>
      store.query(ticket, { text: `rare1000x${random(Math.max(1, Math.floor(count / 10_000)))}`, limit: 20 }),
    ),
  };
}

const count = Number(process.argv[2] ?? 1_000_000);
const kept = process.argv[3];
if (kept !== undefined) mkdirSync(kept, { recursive: true });
const folder = kept ?? mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const results: Record<string, Record<string, Timing>> = {};
for (const records of [small, count]) {
  const file = path.join(folder, `${records}.db`);
  const store = sqlite(file);
  if (!existsSync(file)) {
    const start = performance.now();
    await fill(store, records);
    const seconds = (performance.now() - start) / 1_000;
    const bytes = statSync(file).size + statSync(`${file}-wal`).size;
    process.stdout.write(
      `${records} records: filled in ${seconds.toFixed(1)} s, ${(bytes / records).toFixed(0)} bytes per record on disk\n`,
    );
  }
  results[records] = await measure(store, records);
  await store.end();
}
const ms = (value = 0) => value.toFixed(3);
console.table(
  Object.keys(results[count] ?? {}).map((what) => {
    const [few, many] = [results[small]?.[what], results[count]?.[what]];
    return {
      what,
      [`p50 at ${small}`]: ms(few?.p50),
      [`p50 at ${count}`]: ms(many?.p50),
      [`p99 at ${count}`]: ms(many?.p99),
      ratio: ((many?.p50 ?? 0) / (few?.p50 ?? 1)).toFixed(2),
    };
  }),
);
if (kept === undefined) rmSync(folder, { recursive: true });
