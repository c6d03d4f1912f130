import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { createCatalog, createDispatcher } from "@toolpacks/core";
import { afterEach, expect, test } from "vitest";
import { filesystem } from "./filesystem.ts";

const canary = "canary-8a41e7";
let swapper: Worker | undefined;

afterEach(() => swapper?.terminate());

/** Starts a thread that swaps `data/thing` with a link to the outside, and back, without pause. */
function swapForever(base: string): Worker {
  const script = `
    const fs = require("node:fs");
    const [thing, kept] = ${JSON.stringify(["thing", "kept"].map((name) => path.join(base, "data", name)))};
    const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.1);
    // A tool may have made a folder in the meantime.
    const attempt = (step) => {
      try {
        step();
      } catch {
        fs.rmSync(thing, { recursive: true, force: true });
      }
    };
    for (;;) {
      attempt(() => fs.renameSync(thing, kept));
      attempt(() => fs.symlinkSync("../outside", thing));
      attempt(() => fs.unlinkSync(thing));
      attempt(() => fs.renameSync(kept, thing));
      pause();
    }`;
  return new Worker(script, { eval: true });
}

/** Factor for the duration of a round in the campaign. */
const roundFactor = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 1 : 10;

/** How often a test must hit each side of the race. */
const minHits = 10;

async function repeatCalls(
  base: string,
  calls: readonly (readonly [name: string, args: object])[],
  minRounds: number,
): Promise<void> {
  const pack = filesystem({ roots: [path.join(base, "data")], write: true });
  const dispatcher = createDispatcher(createCatalog({ packs: [pack] }), { onBug: () => {} });
  const rounds = minRounds * roundFactor;
  const counts: Record<string, number> = {};
  // On a busy machine one side of the race may be rare. The test continues until it has hit both, otherwise it proves nothing.
  const hasHitBoth = () =>
    (counts["ok"] ?? 0) >= minHits && (counts["denied"] ?? 0) + (counts["not_found"] ?? 0) >= minHits;
  for (let round = 0; round < rounds || (!hasHitBoth() && round < rounds * 20); round += 1) {
    for (const [name, args] of calls) {
      const outcome = await dispatcher.dispatch({ name, args });
      expect(JSON.stringify(outcome)).not.toContain(canary);
      const code = outcome.ok ? "ok" : outcome.failure.code;
      counts[code] = (counts[code] ?? 0) + 1;
    }
  }
  expect(hasHitBoth(), JSON.stringify(counts)).toBe(true);
}

test("reads never get out while a folder and a link outside are swapped", async () => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "race-")));
  for (const folder of ["data/thing", "outside"]) mkdirSync(path.join(base, folder), { recursive: true });
  writeFileSync(path.join(base, "data/thing/file.txt"), "inside");
  writeFileSync(path.join(base, "outside/file.txt"), canary);
  writeFileSync(path.join(base, `outside/${canary}.txt`), canary);
  swapper = swapForever(base);
  await repeatCalls(
    base,
    [
      ["fs_read", { path: "thing/file.txt" }],
      ["fs_list", { path: "thing", limit: 50 }],
      ["fs_list", { path: ".", depth: 3, limit: 50 }],
      ["fs_stat", { path: "thing/file.txt" }],
      ["fs_copy", { from: "thing", to: "copy", overwrite: true }],
    ],
    100,
  );
  const copied = readdirSync(path.join(base, "data")).filter((name) => name.startsWith("copy"));
  expect(copied.length).toBeLessThanOrEqual(1);
});

test("reads never get out while a file and a link outside are swapped", async () => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "race-")));
  mkdirSync(path.join(base, "data"));
  writeFileSync(path.join(base, "data/thing"), "inside");
  writeFileSync(path.join(base, "outside"), canary);
  swapper = swapForever(base);
  await repeatCalls(
    base,
    [
      ["fs_read", { path: "thing" }],
      ["fs_copy", { from: "thing", to: "copy", overwrite: true }],
    ],
    200,
  );
});

test("writes never get out while a folder and a link outside are swapped", async () => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "race-")));
  for (const folder of ["data/thing", "outside"]) mkdirSync(path.join(base, folder), { recursive: true });
  writeFileSync(path.join(base, "outside/edited.txt"), canary);
  writeFileSync(path.join(base, "data/thing/edited.txt"), "inside\n");
  swapper = swapForever(base);
  await repeatCalls(
    base,
    [
      ["fs_write", { path: "thing/new.txt", content: "new", overwrite: true }],
      ["fs_edit", { path: "thing/edited.txt", edits: [{ append: "more\n" }] }],
      ["fs_mkdir", { path: "thing/made" }],
      ["fs_move", { from: "thing/new.txt", to: "thing/moved.txt", overwrite: true }],
      ["fs_delete", { path: "thing/edited.txt.bak", permanent: true }],
    ],
    80,
  );
  expect(readdirSync(path.join(base, "outside"))).toEqual(["edited.txt"]);
  expect(readFileSync(path.join(base, "outside/edited.txt"), "utf8")).toBe(canary);
});
