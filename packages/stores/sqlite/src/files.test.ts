import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ArchiveLine } from "@toolpacks/core";
import { note } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { sqlite, type SqliteStore } from "./sqlite.ts";
import { migrations } from "./migrations.ts";
import { scratchFolder } from "./scratch-folder.fixture.ts";

const fixtures = new URL("../fixtures/", import.meta.url);

function unavailable(cause: string) {
  return { code: "unavailable", message: expect.stringContaining(cause) };
}

async function lines(store: SqliteStore): Promise<readonly ArchiveLine[]> {
  const found: ArchiveLine[] = [];
  for await (const line of store.export()) found.push(line);
  return found;
}

test.each(migrations.map((_, at) => at + 1))("a file of schema version %i is migrated", async (version) => {
  const file = path.join(scratchFolder(), "store.db");
  copyFileSync(new URL(`version-${version}.db`, fixtures), file);
  const expected = readFileSync(new URL(`version-${version}.jsonl`, fixtures), "utf8")
    .trim()
    .split("\n");
  const store = sqlite(file);
  expect(await lines(store)).toEqual(expected.map((line): unknown => JSON.parse(line)));
  expect((await store.query(note, { text: "apple", filter: { tags: { contains: "red" } } })).total).toBe(1);
  const { generation } = await store.put(note, { text: "A cherry", tags: ["red"] }, { id: "cherry" });
  expect(generation).toBe(5);
  expect((await store.query(note, { filter: { tags: { contains: "red" } } })).items.map(({ id }) => id)).toEqual([
    "apple",
    "cherry",
  ]);
  expect(await store.put(note, { text: "A plum" }, { id: "plum", operationId: "first" })).toMatchObject({
    generation: 2,
  });
  expect(await store.check()).toEqual([]);
  await store.end();
  // The bytes that were there before are counted too.
  const full = sqlite(file, { maxWorkspaceBytes: 1 });
  await expect(full.put(note, { text: "A pear" })).rejects.toMatchObject({
    code: "too_large",
    message: expect.stringMatching(/holds [1-9]\d\d+ bytes/),
  });
  await full.end();
});

test("a file that is not a database, of another program, or of a newer version is not changed", async () => {
  const folder = scratchFolder();
  const text = path.join(folder, "text.db");
  writeFileSync(text, "This is a text. ".repeat(1_000));
  const foreign = path.join(folder, "foreign.db");
  const theirs = new DatabaseSync(foreign);
  theirs.exec("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
  theirs.close();
  const newer = path.join(folder, "newer.db");
  await sqlite(newer).generation();
  const ours = new DatabaseSync(newer);
  ours.exec("PRAGMA user_version = 99");
  ours.close();
  for (const [file, cause] of [
    [text, "the file is not a SQLite database"],
    [foreign, "the file is another program's SQLite database"],
    [newer, "its schema is version 99"],
    [path.join(folder), "the file cannot be opened"],
  ] as const) {
    const before = statSync(file).isFile() ? readFileSync(file) : undefined;
    const store = sqlite(file);
    await expect(store.put(note, { text: "a" })).rejects.toMatchObject(unavailable(cause));
    await store.end();
    if (file !== folder) expect(readFileSync(file).equals(before ?? Buffer.of())).toBe(true);
  }
  const database = new DatabaseSync(foreign);
  expect(database.prepare("SELECT a FROM theirs").all()).toEqual([{ a: 1 }]);
  database.close();
});

test("the check reports a damaged file, and calls that read the damage fail with unavailable", async () => {
  const file = path.join(scratchFolder(), "store.db");
  const store = sqlite(file);
  for (let at = 0; at < 300; at += 1) await store.put(note, { text: `Note ${at} ${"x".repeat(500)}` });
  await store.end();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xaa, bytes.length / 2));
  const damaged = sqlite(file);
  await expect(damaged.query(note, { limit: 1_000 })).rejects.toMatchObject(unavailable("the file is damaged"));
  expect(await damaged.check()).not.toEqual([]);
  await damaged.end();
});

test("a backup that cannot be written fails and leaves no file", async () => {
  const folder = scratchFolder();
  const store = sqlite(path.join(folder, "store.db"));
  await store.put(note, { text: "a" });
  await expect(store.backup(path.join(folder, "none", "copy.db"))).rejects.toMatchObject({ code: "unavailable" });
  expect(readdirSync(folder).filter((name) => !name.startsWith("store.db"))).toEqual([]);
  await store.end();
  expect(existsSync(path.join(folder, "store.db-wal"))).toBe(false);
});

test.skipIf(process.platform !== "linux")(
  "a folder that cannot be created fails with unavailable and its name",
  async () => {
    const store = sqlite("/proc/no-such-folder/deeper/store.db");
    await expect(store.generation()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("/proc/no-such-folder cannot be made"),
    });
    await store.end();
  },
);
