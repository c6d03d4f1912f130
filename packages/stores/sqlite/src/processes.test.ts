import { setTimeout as wait } from "node:timers/promises";
import path from "node:path";
import { note, programCommand, startProgram, storedIds, type ChildProgram } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { sqlite } from "./sqlite.ts";
import { scratchFolder } from "./scratch-folder.fixture.ts";

const load = new URL("./write-load.fixture.ts", import.meta.url);
const killRounds = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 4 : 100;
/** Records of each writer. */
const recordCount = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 50 : 500;

function writeLoad(file: string, writer: string, count: number): ChildProgram {
  return startProgram(programCommand(load, [file, writer, String(count)]));
}

test("eight processes write many records each into one new file without loss", async () => {
  const file = path.join(scratchFolder(), "store.db");
  const writers = Array.from({ length: 8 }, (_, at) => writeLoad(file, `writer${at}`, recordCount));
  for (const { ended } of writers) expect(await ended).toEqual({ code: 0, stderr: "" });
  const acknowledged = writers.flatMap(({ lines }) => lines);
  expect(acknowledged).toHaveLength(8 * recordCount);

  const store = sqlite(file);
  expect(await store.generation()).toBe(8 * recordCount);
  expect(await storedIds(store)).toEqual(new Set(acknowledged));
  expect((await store.query(note, { filter: { tags: { contains: "writer3" } }, limit: 0 })).total).toBe(recordCount);
  expect((await store.query(note, { text: "writer3", limit: 0 })).total).toBe(recordCount);
  expect(await store.check()).toEqual([]);
  await store.end();
}, 120_000);

test(
  "processes killed at a random time keep every acknowledged record and a valid file",
  async () => {
    const file = path.join(scratchFolder(), "store.db");
    const acknowledged = new Set<string>();
    for (let round = 1; round <= killRounds; round += 1) {
      const writers = ["left", "right"].map((side) => writeLoad(file, `${side}${round}`, 1_000_000));
      // Every fourth round hits processes that start; the others hit ones that write.
      if (round % 4 !== 1) await firstLine(writers);
      await wait(Math.random() * 250);
      for (const { process } of writers) process.kill("SIGKILL");
      for (const { ended, lines } of writers) {
        expect((await ended).stderr).toBe("");
        for (const line of lines) acknowledged.add(line);
      }
      const store = sqlite(file);
      expect(await store.check()).toEqual([]);
      const there = await storedIds(store);
      await store.end();
      expect([...acknowledged].filter((id) => !there.has(id))).toEqual([]);
    }
    expect(acknowledged.size).toBeGreaterThan(killRounds);
  },
  60_000 + killRounds * 5_000,
);

async function firstLine(programs: readonly ChildProgram[]): Promise<void> {
  while (programs.every(({ lines }) => lines.length === 0)) await wait(5);
}
