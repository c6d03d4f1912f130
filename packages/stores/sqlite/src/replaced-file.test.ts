import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { note, programCommand, startProgram, storedIds } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { sqlite, type SqliteStore } from "./sqlite.ts";
import { scratchFolder } from "./scratch-folder.fixture.ts";

const diskLoad = new URL("./disk-load.fixture.ts", import.meta.url);
const load = new URL("./write-load.fixture.ts", import.meta.url);

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

test("no write to a deleted file is acknowledged, and no empty store replaces it", async () => {
  const { file, store } = await withBackup();
  for (const place of [file, ...sides(file)]) rmSync(place);
  for (const work of [() => put(store, "lost"), () => store.get(note, "a")]) {
    await expect(work()).rejects.toMatchObject({
      code: "unavailable",
      message: `the store: the file ${file} was deleted while it was open`,
      hint: "Put the file back, or restart this program to begin an empty store.",
    });
  }
  expect(existsSync(file)).toBe(false);
  await store.end();
  expect(existsSync(file)).toBe(false);
});

test("a deleted file is reopened when a file is at its path again", async () => {
  const { file, backup, store } = await withBackup();
  for (const place of [file, ...sides(file)]) rmSync(place);
  await expect(put(store, "lost")).rejects.toMatchObject({ code: "unavailable" });
  copyFileSync(backup, file);
  await put(store, "c");
  await store.end();
  expect(await idsIn(file)).toEqual(["a", "c"]);
});

test("a replaced file is opened without the log of the old file", async () => {
  const { file, backup, store } = await withBackup();
  const moved = `${file}.moved`;
  renameSync(file, moved);
  renameSync(backup, file);
  expect((await store.query(note)).items.map(({ id }) => id)).toEqual(["a"]);
  await put(store, "c");
  const other = sqlite(file);
  expect([...(await storedIds(other))].sort()).toEqual(["a", "c"]);
  await other.end();
  await store.end();
  expect(await idsIn(file)).toEqual(["a", "c"]);
  // What was acknowledged before went with the file that was moved away.
  expect(await idsIn(moved)).toEqual(["a", "b"]);
});

test("a kind that the new file does not have is created there", async () => {
  const folder = scratchFolder();
  const [file, empty] = [path.join(folder, "store.db"), path.join(folder, "empty.db")];
  const other = sqlite(empty);
  await other.generation();
  await other.end();
  const store = sqlite(file);
  await put(store, "a");
  renameSync(empty, file);
  expect(await store.get(note, "a")).toBeUndefined();
  await put(store, "b");
  await store.end();
  expect(await idsIn(file)).toEqual(["b"]);
});

test("a write that runs while the file is replaced is not acknowledged", async () => {
  const { file, backup, store } = await withBackup();
  const write = store.transaction(async (inside) => {
    await inside.put(note, { text: "Too late" }, { id: "late" });
    renameSync(backup, file);
  });
  await expect(write).rejects.toMatchObject({
    code: "unavailable",
    hint: "This write is not in the file that is there now. Try again.",
  });
  await put(store, "c");
  await store.end();
  expect(await idsIn(file)).toEqual(["a", "c"]);
});

test("a watcher reports writes to the new file", async () => {
  const { file, backup, store } = await withBackup();
  const heard: number[] = [];
  await store.watch((generation) => heard.push(generation));
  renameSync(backup, file);
  await expect.poll(() => heard).toEqual([1]);
  const other = sqlite(file);
  await put(other, ...Array.from({ length: 20 }, (_, at) => `n${at}`));
  await other.end();
  await expect.poll(() => heard.at(-1)).toBe(21);
  await store.end();
});

test("a deleted log loses no acknowledged record", async () => {
  const { file, store } = await withBackup();
  for (const place of sides(file)) rmSync(place);
  await put(store, "c");
  expect(existsSync(`${file}-wal`)).toBe(true);
  const other = sqlite(file);
  expect([...(await storedIds(other))].sort()).toEqual(["a", "b", "c"]);
  await put(other, "d");
  await store.end();
  await other.end();
  expect(await idsIn(file)).toEqual(["a", "b", "c", "d"]);
});

test("if the file is open elsewhere too, a deleted log is copied into the file and writes are refused", async () => {
  const { file, store } = await withBackup();
  const other = sqlite(file);
  await put(other, "n1");
  for (const place of sides(file)) rmSync(place);
  await expect(put(store, "c")).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("lost its -wal or -shm file while several programs had it open"),
  });
  await expect(store.get(note, "a")).rejects.toMatchObject({ code: "unavailable" });
  await store.end();
  await other.end();
  expect((await idsIn(file)).toSorted()).toEqual(["a", "b", "n1"]);
});

test("while another program writes, a deleted log loses no acknowledged record, and the last process to notice continues", async () => {
  const { file, store } = await withBackup();
  const other = startProgram(programCommand(load, [file, "other", "1000000"]));
  await expect.poll(() => other.lines.length, { timeout: 30_000 }).toBeGreaterThan(5);
  for (const place of sides(file)) rmSync(place);
  // The first program to notice finds the other one and refuses writes. The second one continues after the first has ended.
  const refusal = await put(store, "c").then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal !== undefined) {
    expect(refusal).toMatchObject({ code: "unavailable", message: expect.stringContaining("several programs") });
  }
  await store.end();
  // If this store notices first, the other program continues until it is killed.
  if (refusal !== undefined) {
    const written = other.lines.length;
    const hasGoneOn = () => other.lines.length > written || other.process.exitCode !== null;
    await expect.poll(hasGoneOn, { timeout: 30_000 }).toBe(true);
    other.process.kill("SIGKILL");
  }
  const { code } = await other.ended;
  expect(code).not.toBe(0);
  const kept = new Set(await idsIn(file));
  const acknowledged = ["a", "b", ...(refusal === undefined ? ["c"] : []), ...other.lines];
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
});

test("writes are refused after another program has started its own log", async () => {
  const { file, store } = await withBackup();
  for (const place of sides(file)) {
    rmSync(place);
    writeFileSync(place, "");
  }
  await expect(put(store, "c")).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("got another -wal or -shm file while it was open"),
  });
  await store.end();
});

test("a backup that is copied over an open file is refused with the next step", async () => {
  const { file, backup, store } = await withBackup();
  // Puts what was written into the file itself, as SQLite does from time to time.
  await store.transaction(async (inside) => {
    for (let at = 0; at < 1_500; at += 1) await inside.put(note, { text: "x".repeat(4_000) }, { id: `n${at}` });
  });
  await put(store, "c");
  copyFileSync(backup, file);
  await expect(put(store, "lost")).rejects.toMatchObject({
    code: "unavailable",
    message: `the store: the file ${file} was overwritten or truncated while it was open`,
    hint: expect.stringContaining("restore the backup again"),
  });
  await store.end();
});

test("another store that is copied over an open file is refused", async () => {
  const { file, store } = await withBackup();
  const elsewhere = path.join(scratchFolder(), "other.db");
  const other = sqlite(elsewhere);
  await put(other, "x", "y", "z", "u", "v");
  await other.end();
  copyFileSync(elsewhere, file);
  await expect(put(store, "lost")).rejects.toMatchObject({ message: expect.stringContaining("was overwritten") });
  await store.end();
});

/** Root without what lets it write to every file. Another user could not read these sources in a private folder. */
const setpriv = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] as const;

/** Reads a store, and tries to write to it, as a user who is bound by file modes. */
async function readAsSomebody(folder: string): Promise<unknown> {
  const command = programCommand(diskLoad, [folder, "read"]);
  const { ended, lines } = startProgram(process.getuid?.() === 0 ? [...setpriv, ...command] : command);
  expect(await ended).toEqual({ code: 0, stderr: "" });
  return JSON.parse(lines.join("")) as unknown;
}

test.skipIf(process.platform === "win32")("a store in a read-only folder can be read and not written", async () => {
  const outer = scratchFolder();
  const folder = path.join(outer, "a?b#c%20d");
  mkdirSync(folder);
  const file = path.join(folder, "store.db");
  const expected = { refused: "unavailable: the store: the file may only be read" };
  for (const ids of [["a", "b"], ["c"]]) {
    const store = sqlite(file);
    await put(store, ...ids);
    await store.end();
    for (const [place, mode] of [
      [outer, 0o755],
      [file, 0o444],
      [folder, 0o555],
    ] as const)
      chmodSync(place, mode);
    expect(await readAsSomebody(folder)).toEqual({ ...expected, found: ids.length === 1 ? 3 : 2 });
    expect(readdirSync(folder)).toEqual(["store.db"]);
    for (const place of [folder, file]) chmodSync(place, 0o755);
  }
});

test.skipIf(process.platform === "win32")(
  "a read-only folder with a log is refused, so that no record of the log is missing",
  async () => {
    const { file, store } = await withBackup();
    const folder = scratchFolder();
    for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, path.join(folder, `store.db${end}`));
    await store.end();
    for (const name of readdirSync(folder)) chmodSync(path.join(folder, name), 0o444);
    chmodSync(folder, 0o555);
    expect(await readAsSomebody(folder)).toMatchObject({
      refused: expect.stringContaining(
        "store.db-wal holds writes that cannot be read, since its folder may only be read",
      ),
    });
    chmodSync(folder, 0o755);
  },
);

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
