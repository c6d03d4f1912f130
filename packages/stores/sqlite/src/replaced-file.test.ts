import { chmodSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { note, storedIds } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { sqlite, type SqliteStore } from "./sqlite.ts";
import { scratchFolder } from "./scratch-folder.fixture.ts";

async function idsIn(file: string): Promise<readonly string[]> {
  const store = sqlite(file);
  const ids = [...(await storedIds(store))].sort();
  expect(await store.check()).toEqual([]);
  await store.end();
  return ids;
}

async function put(store: SqliteStore, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await store.put(note, { text: `Note ${id}` }, { id });
}

/** A store with `a` in it, and a backup of it, then `b`. */
async function withBackup(): Promise<{ file: string; backup: string; store: SqliteStore }> {
  const folder = scratchFolder();
  const [file, backup] = [path.join(folder, "store.db"), path.join(folder, "backup.db")];
  const store = sqlite(file);
  await put(store, "a");
  await store.backup(backup);
  await put(store, "b");
  return { file, backup, store };
}

const sides = (file: string) => [`${file}-wal`, `${file}-shm`];

const refused = (hint: string) => ({
  code: "unavailable",
  message: expect.stringMatching(/^the store: the file .*store.db, or its -wal or -shm, was deleted or replaced/),
  hint,
});
const restart = "Stop every program that uses the store, and start again.";
const isLost = refused(restart);

test("no write to a deleted file is acknowledged, and no empty store replaces it", async () => {
  const { file, store } = await withBackup();
  for (const place of [file, ...sides(file)]) rmSync(place);
  for (const work of [() => put(store, "lost"), () => store.get(note, "a")])
    await expect(work()).rejects.toMatchObject(isLost);
  await store.end();
  expect(existsSync(file)).toBe(false);
});

test("a replaced file is refused, until a restart opens the new file without the log of the old one", async () => {
  const { file, backup, store } = await withBackup();
  const moved = `${file}.moved`;
  renameSync(file, moved);
  renameSync(backup, file);
  for (const work of [() => store.query(note), () => put(store, "lost"), () => store.get(note, "a")]) {
    await expect(work()).rejects.toMatchObject(isLost);
  }
  const other = sqlite(file);
  await put(other, "c");
  await store.end();
  await other.end();
  expect(await idsIn(file)).toEqual(["a", "c"]);
  // What was acknowledged before went with the file that was moved away.
  expect(await idsIn(moved)).toEqual(["a", "b"]);
});

test("a file that is replaced before the end leaves no log to the new one", async () => {
  const { file, backup, store } = await withBackup();
  renameSync(backup, file);
  await store.end();
  expect(await idsIn(file)).toEqual(["a"]);
});

test("a write that runs while the file is replaced is not acknowledged", async () => {
  const { file, backup, store } = await withBackup();
  const write = store.transaction(async (inside) => {
    await inside.put(note, { text: "Too late" }, { id: "late" });
    renameSync(backup, file);
  });
  await expect(write).rejects.toMatchObject(refused(`This write is not in the file that is there now. ${restart}`));
  await store.end();
  expect(await idsIn(file)).toEqual(["a"]);
});

test("writes are refused after another program has started its own log", async () => {
  const { file, store } = await withBackup();
  for (const place of sides(file)) {
    rmSync(place);
    writeFileSync(place, "");
  }
  await expect(put(store, "c")).rejects.toMatchObject(isLost);
  await store.end();
});

test.skipIf(process.platform === "win32")(
  "only the owner can read the files of a store and of a backup, whatever the umask",
  async () => {
    const before = process.umask(0);
    try {
      const file = path.join(scratchFolder(), "made", "deeper", "store.db");
      const store = sqlite(file);
      await put(store, "a");
      await store.backup(`${file}.backup`);
      const modes = [file, ...sides(file), `${file}.backup`].map((place) => statSync(place).mode & 0o777);
      expect(modes).toEqual([0o600, 0o600, 0o600, 0o600]);
      for (const folder of [path.dirname(file), path.dirname(path.dirname(file))]) {
        expect(statSync(folder).mode & 0o777).toBe(0o700);
      }
      await store.end();
    } finally {
      process.umask(before);
    }
  },
);

test.skipIf(process.platform === "win32")(
  "a store that other users may read becomes private when it is opened, and its folder keeps its mode",
  async () => {
    const folder = scratchFolder();
    const file = path.join(folder, "store.db");
    const first = sqlite(file);
    await put(first, "a");
    chmodSync(folder, 0o755);
    for (const place of [file, ...sides(file)]) chmodSync(place, 0o644);
    const second = sqlite(file);
    await put(second, "b");
    expect([file, ...sides(file)].map((place) => statSync(place).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    await first.end();
    await second.end();
  },
);
