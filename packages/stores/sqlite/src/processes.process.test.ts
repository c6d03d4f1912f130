import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { note, programCommand, startProgram, storedIds, type ChildProgram } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { sqlite } from "./sqlite.ts";
import { scratchFolder } from "./scratch-folder.fixture.ts";

const diskLoad = new URL("./disk-load.fixture.ts", import.meta.url);
const load = new URL("./write-load.fixture.ts", import.meta.url);
const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;
const killRounds = isCampaign ? 100 : 1;
/** Records of each writer. */
const recordCount = 500;

function writeLoad(file: string, writer: string, count: number): ChildProgram {
  return startProgram(programCommand(load, [file, writer, String(count)]));
}

// The next test does so with two processes.
test.skipIf(!isCampaign)(
  "four processes write many records each into one new file without loss",
  async () => {
    const file = path.join(scratchFolder(), "store.db");
    const writers = Array.from({ length: 4 }, (_, at) => writeLoad(file, `writer${at}`, recordCount));
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, stderr: "" });
    const acknowledged = writers.flatMap(({ lines }) => lines);
    expect(acknowledged).toHaveLength(4 * recordCount);

    const store = sqlite(file);
    expect(await store.generation()).toBe(4 * recordCount);
    expect(await storedIds(store)).toEqual(new Set(acknowledged));
    expect((await store.query(note, { filter: { tags: { contains: "writer3" } }, limit: 0 })).total).toBe(recordCount);
    expect((await store.query(note, { text: "writer3", limit: 0 })).total).toBe(recordCount);
    expect(await store.check()).toEqual([]);
    await store.end();
  },
  120_000,
);

test(
  "processes killed at a random time keep every acknowledged record and a valid file",
  async () => {
    const file = path.join(scratchFolder(), "store.db");
    const acknowledged = new Set<string>();
    for (let round = 1; round <= killRounds; round += 1) {
      const writers = ["left", "right"].map((side) => writeLoad(file, `${side}${round}`, 1_000_000));
      // Every fourth round hits processes that start; the others hit ones that write.
      if (round % 4 !== 0) await firstLine(writers);
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

test("a backup during writes has all records acknowledged before it, and is a complete store", async () => {
  const folder = scratchFolder();
  const file = path.join(folder, "store.db");
  const copy = path.join(folder, "copy.db");
  const writers = [writeLoad(file, "other", 1_000_000)];
  const store = sqlite(file);
  await expect
    .poll(() => Math.min(...writers.map((writer) => writer.lines.length)), { timeout: 30_000 })
    .toBeGreaterThan(20);
  const before = writers.flatMap((writer) => writer.lines);
  await store.backup(copy);
  const after = writers.flatMap((writer) => writer.lines).length;
  await expect.poll(() => writers.flatMap((writer) => writer.lines).length).toBeGreaterThan(after);
  for (const { process, ended } of writers) {
    process.kill();
    expect((await ended).stderr).toBe("");
  }
  await expect(store.backup(copy)).rejects.toMatchObject({ code: "conflict" });
  await store.end();

  const copied = sqlite(copy);
  const there = await storedIds(copied);
  expect(before.filter((id) => !there.has(id))).toEqual([]);
  expect(await copied.check()).toEqual([]);
  expect(await copied.generation()).toBe(there.size);
  await copied.put(note, { text: "more" });
  await copied.end();
});

test("after its log was deleted every program refuses writes, and no acknowledged record is lost", async () => {
  const file = path.join(scratchFolder(), "store.db");
  const store = sqlite(file);
  for (const id of ["a", "b"]) await store.put(note, { text: id }, { id });
  const isLost = { code: "unavailable", message: expect.stringContaining("was deleted or replaced while it was open") };
  const other = startProgram(programCommand(load, [file, "other", "1000000"]));
  await expect.poll(() => other.lines.length, { timeout: 30_000 }).toBeGreaterThan(5);
  for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`);
  await expect(store.put(note, { text: "c" })).rejects.toMatchObject(isLost);
  await expect(store.get(note, "a")).rejects.toMatchObject(isLost);
  expect((await other.ended).stderr).toContain("was deleted or replaced while it was open");
  await store.end();
  const later = sqlite(file);
  const kept = await storedIds(later);
  expect(await later.check()).toEqual([]);
  await later.end();
  expect(["a", "b", ...other.lines].filter((id) => !kept.has(id))).toEqual([]);
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

const fileMayOnlyBeRead = "unavailable: the store: the file may only be read";

test.skipIf(process.platform === "win32")(
  "a store in a read-only folder can be read and not written, and is refused with a log, so that no record of the log is missing",
  async () => {
    const outer = scratchFolder();
    const folder = path.join(outer, "a?b#c%20d");
    mkdirSync(folder);
    const file = path.join(folder, "store.db");
    const store = sqlite(file);
    for (const id of ["a", "b"]) await store.put(note, { text: id }, { id });
    const withLog = path.join(outer, "log");
    mkdirSync(withLog);
    for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, path.join(withLog, `store.db${end}`));
    await store.end();
    for (const one of [folder, withLog]) {
      for (const name of readdirSync(one)) chmodSync(path.join(one, name), 0o444);
      chmodSync(one, 0o555);
    }
    chmodSync(outer, 0o755);
    expect(await readAsSomebody(folder)).toEqual({ refused: fileMayOnlyBeRead, found: 2 });
    expect(readdirSync(folder)).toEqual(["store.db"]);
    const log = "store.db-wal holds writes that cannot be read, since its folder may only be read";
    expect(await readAsSomebody(withLog)).toMatchObject({ refused: expect.stringContaining(log) });
    for (const one of [folder, withLog]) chmodSync(one, 0o755);
  },
);

/** Runs commands on a small disk. Undefined on systems that give no name space of the test's own, which mounts need. */
async function onSmallDisk(...steps: readonly string[]): Promise<readonly unknown[] | undefined> {
  const folder = scratchFolder();
  const quoted = (task: string) =>
    programCommand(diskLoad, [folder, task])
      .map((word) => `'${word}'`)
      .join(" ");
  const script = [
    `mount -t tmpfs -o size=4m tmpfs '${folder}'`,
    "echo '\"mounted\"'",
    ...steps.map((step) =>
      step.replace(/^run (\w+)$/, (_, task: string) => quoted(task)).replaceAll("$FOLDER", folder),
    ),
  ];
  const { ended, lines } = startProgram(["unshare", "-rm", "sh", "-ec", script.join("\n")]);
  const end = await ended;
  if (lines.length === 0) return undefined;
  expect(end).toEqual({ code: 0, stderr: "" });
  return lines.slice(1).map((line): unknown => JSON.parse(line));
}

test("a write to a full disk fails with unavailable and the cause, loses nothing, and works when there is space; a read-only file can be read", async ({
  skip,
}) => {
  const reports = await onSmallDisk(
    "run fill",
    "mount --bind $FOLDER/store.db $FOLDER/store.db",
    "mount -o remount,bind,ro $FOLDER/store.db",
    "run read",
    "umount $FOLDER/store.db",
    "mount -t tmpfs -o remount,ro tmpfs $FOLDER",
    "run read",
    "mount -t tmpfs -o remount,rw tmpfs $FOLDER; rm $FOLDER/*",
    "run open",
  );
  skip(reports === undefined, "unshare may not mount here");
  const [filled, readOnlyFile, readOnlyDisk, opened] = reports ?? [];
  const full = "unavailable: the store: the disk is full";
  expect(filled).toMatchObject({ lost: [], extra: [], refused: full, several: full, problems: [] });
  const { acknowledged } = filled as { readonly acknowledged: number };
  expect(acknowledged).toBeGreaterThan(10);
  const expected = { refused: fileMayOnlyBeRead, found: acknowledged };
  expect(readOnlyFile).toEqual(expected);
  expect(readOnlyDisk).toEqual(expected);
  // Opening a store on a full disk.
  expect(opened).toEqual({ refused: full, found: 2 });
});
