import {
  closeSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { note } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { sqlite } from "./sqlite.ts";
import { scratchFolder } from "./scratch-folder.fixture.ts";

/** Writes into the file as it is: the inode stays. */
function overwrite(file: string, bytes: Buffer): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, 0);
  closeSync(descriptor);
}

const changes: readonly (readonly [string, (file: string, backup: string) => void])[] = [
  ["truncated to nothing", (file) => truncateSync(file, 0)],
  ["truncated to one page", (file) => truncateSync(file, 4_096)],
  ["truncated to half", (file) => truncateSync(file, Math.floor(statSync(file).size / 8_192) * 4_096)],
  ["overwritten with garbage", (file) => overwrite(file, Buffer.alloc(statSync(file).size, 9))],
  ["overwritten with garbage in its first page", (file) => overwrite(file, Buffer.alloc(4_096, 7))],
  ["overwritten with a text", (file) => writeFileSync(file, "A text of somebody else\n".repeat(1_000))],
  [
    "overwritten with garbage but for its first page",
    (file) => overwrite(file, Buffer.concat([readFileSync(file).subarray(0, 4_096), Buffer.alloc(80_000, 9)])),
  ],
  [
    "overwritten with an older backup, and its time set back",
    (file, backup) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, readFileSync(backup));
      utimesSync(file, atime, mtime);
    },
  ],
];

// Several wait for seconds, in case another process is copying its log into the file.
const waiting = { timeout: 60_000, concurrent: true };

test.for(changes)("no write is acknowledged into an open file that was %s", waiting, async ([, change], context) => {
  const folder = scratchFolder(context);
  const [file, backup] = [path.join(folder, "store.db"), path.join(folder, "backup.db")];
  const seeds = sqlite(file);
  for (let at = 0; at < 100; at += 1) await seeds.put(note, { text: `seed ${at} ${"z".repeat(800)}` });
  await seeds.backup(backup);
  for (let at = 0; at < 20; at += 1) await seeds.put(note, { text: `seed ${at} ${"z".repeat(800)}` });
  await seeds.end();
  const store = sqlite(file);
  await store.put(note, { text: "before" });
  change(file, backup);
  for (let at = 0; at < 3; at += 1) {
    await expect(store.put(note, { text: "after" })).rejects.toMatchObject({
      code: "unavailable",
      message: `the store: the file ${file} was overwritten or truncated while it was open`,
    });
  }
  await store.end().catch(() => {});
});

test("no write is acknowledged into the open file of a new store that was truncated", waiting, async (context) => {
  const file = path.join(scratchFolder(context), "store.db");
  const store = sqlite(file);
  await store.put(note, { text: "before" });
  truncateSync(file, 4_096);
  await expect(store.put(note, { text: "after" })).rejects.toMatchObject({ code: "unavailable" });
  await store.end().catch(() => {});
});

test("repeated checkpoints by another program do not count as a change of the file", async () => {
  const file = path.join(scratchFolder(), "store.db");
  const store = sqlite(file);
  await store.put(note, { text: "first" });
  const other = new DatabaseSync(file, { timeout: 5_000 });
  for (let at = 0; at < 30; at += 1) {
    await store.put(note, { text: `note ${at} ${"x".repeat(20_000)}` });
    other.exec("PRAGMA wal_checkpoint(PASSIVE)");
  }
  other.close();
  expect((await store.query(note, { limit: 0 })).total).toBe(31);
  await store.end();
});

test.skipIf(process.platform !== "linux")(
  "the process keeps its locks when its log is copied into the file",
  async () => {
    const file = path.join(scratchFolder(), "store.db");
    const store = sqlite(file);
    const locks = () =>
      readFileSync("/proc/locks", "utf8").match(new RegExp(`READ ${process.pid} \\S+:${statSync(file).ino} .*`, "g"));
    await store.put(note, { text: "first" });
    const before = locks();
    const { size } = statSync(file);
    for (let at = 0; at < 60; at += 1) await store.put(note, { text: "x".repeat(100_000) });
    expect(statSync(file).size).toBeGreaterThan(size);
    expect(before).toHaveLength(1);
    expect(locks()).toEqual(before);
    await store.end();
  },
);
