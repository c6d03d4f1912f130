// `node --conditions=@toolpacks/source bench/src/undo.ts`: what undo costs a write, in turns with and without it, and the bytes that it keeps.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, defineKind } from "@toolpacks/core";
import { filesystem } from "@toolpacks/filesystem";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { createUndo } from "@toolpacks/undo";
import { z } from "zod";
import { percentile } from "./connection.ts";

const rounds = 400;
const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const note = defineKind({ name: "note", schema: z.object({ text: z.string() }), text: ["text"] });

function open(name: string, isOn: boolean) {
  const root = mkdtempSync(path.join(folder, `${name}-`));
  const store = sqlite(path.join(folder, `${name}.db`));
  const lockFile = path.join(folder, `${name}.lock`);
  const undo = createUndo({ store, local: store.local(), lockFile, roots: [root], onError: console.error });
  const packs = [filesystem({ roots: [root], write: true }), storePack({ store, kinds: [note] }), undo.pack];
  const around = isOn ? { interceptors: [undo.interceptor], observers: [undo.observer] } : {};
  const dispatcher = createDispatcher(createCatalog({ packs }), around);
  const call = async (tool: string, args: object) => {
    const outcome = await dispatcher.dispatch({ name: tool, args });
    if (!outcome.ok) throw new Error(outcome.failure.message);
  };
  return { store, call };
}

/** Without undo twice, since no difference is one that is not greater than theirs. */
const contestants = { off: open("off", false), "off again": open("again", false), on: open("on", true) };
const content = "a line of a hundred characters, more or less, of a file that is written by an agent of some sort ..\n";
const big = content.repeat(1_000);
const works: Readonly<Record<string, (round: number) => readonly [string, object]>> = {
  "fs_write of 100 kB, a new file": (round) => ["fs_write", { path: `${round}.txt`, content: big }],
  "fs_write of 100 kB, over a file": (round) => [
    "fs_write",
    { path: "0.txt", content: `${big}${round}`, overwrite: true },
  ],
  "store_put, a new record": (round) => ["store_put", { kind: "note", id: `n${round}`, record: { text: content } }],
  "store_put, over a record": (round) => [
    "store_put",
    { kind: "note", id: "n0", record: { text: `${content}${round}` } },
  ],
};
const rows: Record<string, string>[] = [];
for (const [what, work] of Object.entries(works)) {
  const times: Record<string, number[]> = { off: [], "off again": [], on: [] };
  for (let round = 0; round < rounds; round += 1) {
    const turns = Object.entries(contestants);
    for (const [name, { call }] of round % 2 === 0 ? turns : turns.toReversed()) {
      const [tool, args] = work(round);
      const start = performance.now();
      await call(tool, args);
      if (round >= 20) times[name]?.push(performance.now() - start);
    }
  }
  /** The median of the ratios of each round. */
  const ratio = (name: string) =>
    percentile(
      (times[name] ?? []).map((ms, at) => ms / (times["off"]?.[at] ?? Number.NaN)),
      0.5,
    );
  const more = (name: string) => `${((ratio(name) - 1) * 100).toFixed(1)} %`;
  const ms = percentile(times["off"] ?? [], 0.5).toFixed(2);
  rows.push({ what, "off, ms": ms, "off again": more("off again"), "with undo": more("on") });
}
console.table(rows);

const { call, store } = open("busy", true);
for (let file = 0; file < 50; file += 1) await call("fs_write", { path: `${file}.txt`, content: content.repeat(200) });
for (let edit = 0; edit < 1_000; edit += 1)
  await call("fs_edit", { path: `${edit % 50}.txt`, edits: [{ append: `${edit}\n` }] });
await Promise.all([store, ...Object.values(contestants).map((one) => one.store)].map((one) => one.end()));
const bytes = (statSync(path.join(folder, "busy.db")).size / 1e6).toFixed(1);
console.log(`1,000 edits of files of 20 kB: ${bytes} MB in the store`);
rmSync(folder, { recursive: true });
