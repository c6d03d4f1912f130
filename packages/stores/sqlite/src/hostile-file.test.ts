import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { note } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { sqlite } from "./sqlite.ts";
import { openSqlite } from "./sqlite-driver.ts";
import { scratchFolder } from "./scratch-folder.fixture.ts";

const fixtures = new URL("../fixtures/", import.meta.url);

const damaged = { code: "unavailable", message: "the store: the file is damaged" };

/** A store that somebody else has changed. */
async function changedStore(change: (database: DatabaseSync, folder: string) => void) {
  const folder = scratchFolder();
  const file = path.join(folder, "store.db");
  const store = sqlite(file);
  await store.put(note, { text: "mine" }, { id: "a" });
  await store.end();
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false });
  change(database, folder);
  database.close();
  return sqlite(file);
}

async function exported(store: ReturnType<typeof sqlite>): Promise<number> {
  let lines = 0;
  for await (const _ of store.export()) lines += 1;
  return lines;
}

test("kind names in a store of an older version run no SQL", async () => {
  const folder = scratchFolder();
  const file = path.join(folder, "store.db");
  const canary = path.join(folder, "canary.db");
  copyFileSync(new URL("version-1.db", fixtures), file);
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE kind_x__record (data, workspace)");
  const name = `x__record WHERE 0); ATTACH DATABASE '${canary}' AS evil; CREATE TABLE evil.stolen (x);
    UPDATE workspace SET bytes = bytes + (SELECT 0 FROM kind_x`;
  database.prepare("INSERT INTO kind VALUES (?, ?)").run(name, JSON.stringify({ name: "x", indexes: [], text: [] }));
  database.close();
  const store = sqlite(file);
  await expect(store.generation()).rejects.toMatchObject(damaged);
  await store.end();
  expect(existsSync(canary)).toBe(false);
});

const endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*), 1 FROM c";

/** Replaces a part of the statement that created a table. */
const redefine = (table: string, part: string, by: string) =>
  `PRAGMA writable_schema = ON;
   UPDATE sqlite_schema SET sql = replace(sql, '${part}', '${by.replaceAll("'", "''")}') WHERE name = '${table}';`;

const record = "kind_note__record";

const foreignSchemas: readonly (readonly [string, string])[] = [
  ["a view in place of a table", `DROP TABLE toolpacks; CREATE VIEW toolpacks (generation, store_id) AS ${endless}`],
  ["a trigger", `CREATE TRIGGER mine AFTER INSERT ON ${record} BEGIN DELETE FROM ${record}; END`],
  ["another virtual table", "CREATE VIRTUAL TABLE other USING fts5 (a)"],
  ["another table", `CREATE TABLE other (a REFERENCES ${record} (seq) ON DELETE CASCADE)`],
  ["a column that is computed", redefine("toolpacks", "generation INTEGER", "generation INTEGER AS (5)")],
  ["a record that is computed", redefine(record, "data TEXT", `data TEXT AS ('{"text":"forged"}')`)],
  ["a condition on a column", redefine(record, "closed INTEGER", "closed INTEGER CHECK (seq > 0)")],
  ["a default value", redefine(record, "closed INTEGER", "closed INTEGER DEFAULT (1)")],
  ["another collation", redefine(record, "id TEXT", "id TEXT COLLATE NOCASE")],
  ["an unknown collation", redefine(record, "id TEXT", "id TEXT COLLATE unknown")],
  ["an index of an expression", `CREATE INDEX other ON ${record} (length(data))`],
  ["a changed index", `DROP INDEX kind_note__by_age; CREATE INDEX kind_note__by_age ON ${record} (workspace, -closed)`],
  ["an index that ignores conflicts", `CREATE TABLE other (a UNIQUE ON CONFLICT IGNORE)`],
  ["a column too few", redefine(record, "data TEXT", "dat TEXT")],
  ["a missing table", "DROP TABLE workspace"],
  ["a negative version", "PRAGMA user_version = -5"],
];

test.each(foreignSchemas)("a store with %s is refused before it runs any SQL", async (_, sql) => {
  const store = await changedStore((database) => database.exec(`PRAGMA journal_mode = DELETE; ${sql}`));
  await expect(store.get(note, "a")).rejects.toMatchObject(damaged);
  await expect(store.put(note, { text: "x" })).rejects.toMatchObject(damaged);
  await expect(store.check()).rejects.toMatchObject(damaged);
  await store.end();
});

test("statistics tables of SQLite are not damage", async () => {
  const store = await changedStore((database) => database.exec("ANALYZE"));
  expect(await store.get(note, "a")).toMatchObject({ id: "a" });
  expect(await store.check()).toEqual([]);
  await store.end();
});

test.each(foreignSchemas.filter(([name]) => /trigger|view|expression/.test(name)))(
  "an open store to which another program adds %s refuses reads and writes",
  async (_, sql) => {
    const file = path.join(scratchFolder(), "store.db");
    const store = sqlite(file);
    await store.put(note, { text: "mine" }, { id: "a" });
    const database = new DatabaseSync(file, { defensive: false });
    database.exec(sql);
    await expect(store.put(note, { text: "lost" })).rejects.toMatchObject(damaged);
    await expect(store.get(note, "a")).rejects.toMatchObject(damaged);
    database.close();
    await store.end();
  },
);

test("an open store works again when the trigger of another program is gone", async () => {
  const file = path.join(scratchFolder(), "store.db");
  const store = sqlite(file);
  await store.put(note, { text: "mine" }, { id: "a" });
  const database = new DatabaseSync(file);
  database.exec(`CREATE TRIGGER mine AFTER INSERT ON ${record} BEGIN DELETE FROM ${record}; END`);
  await expect(store.put(note, { text: "x" })).rejects.toMatchObject(damaged);
  database.exec("DROP TRIGGER mine");
  database.close();
  await store.put(note, { text: "x" }, { id: "b" });
  expect((await store.query(note)).items.map(({ id }) => id)).toEqual(["a", "b"]);
  await store.end();
});

const deepRecord = `UPDATE ${record} SET data = '{"text":"x","deep":' || replace(hex(zeroblob(100000)), '00', '[') ||
  replace(hex(zeroblob(100000)), '00', ']') || '}'`;

test.each([
  ["no generation", "DELETE FROM toolpacks", "the file is damaged"],
  ["a generation that is too large", `UPDATE toolpacks SET generation = ${2n ** 63n - 1n}`, "the file is damaged"],
  ["a negative generation", "UPDATE toolpacks SET generation = -5", "the file is damaged"],
  ["a size that is too large", `UPDATE workspace SET bytes = ${2n ** 63n - 1n}`, "the size of the workspace"],
  ["a size that is too small", "UPDATE workspace SET bytes = -9223372036854775808", "the size of the workspace"],
  ["a record whose generation is too large", `UPDATE ${record} SET generation = ${2n ** 63n - 1n}`, "cannot be read"],
  ["a record that is closed too much", `UPDATE ${record} SET closed = ${2n ** 63n - 1n}`, "cannot be read"],
  ["no index of ids", "DROP INDEX kind_note__by_id", "kind_note__by_id is missing"],
  ["no array items", "DROP TABLE kind_note__item", "kind_note__item is missing"],
  ["no words", "DROP TABLE kind_note__text", "kind_note__text is missing"],
  ["words that are damaged", "UPDATE kind_note__text_data SET block = zeroblob(100000)", ""],
])("a store with %s fails with `unavailable` only, and the check names the problem", async (_, sql, problem) => {
  const store = await changedStore((database) => database.exec(sql));
  const calls = [
    store.get(note, "a"),
    store.query(note, { includeClosed: true }),
    store.query(note, { text: "mine" }),
    store.query(note, { filter: { tags: { contains: "x" } } }),
    store.put(note, { text: "mine too", tags: ["x"] }, { operationId: "one" }),
    store.put(note, { text: "changed", tags: ["y"] }, { id: "a" }),
    store.workspaces(),
    exported(store),
  ];
  for (const result of await Promise.allSettled(calls)) {
    if (result.status === "rejected") expect(result.reason).toMatchObject(damaged);
  }
  const problems = await store.check().catch((error: unknown) => [String(error)]);
  expect(problems.join("; ")).toContain(problem);
  await store.end();
});

test("the check and the export name a record that is nested too deep", async () => {
  const store = await changedStore((database) => {
    const indexes = database.prepare(`SELECT name FROM sqlite_schema WHERE sql LIKE '%json%'`).all();
    database.exec(indexes.map(({ name }) => `DROP INDEX "${String(name)}";`).join(""));
    database.exec(deepRecord);
  });
  await expect(exported(store)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining('note "a"'),
  });
  const records = await store.check([note]);
  expect(records.length).toBeGreaterThan(0);
  await store.end();
});

test.each([
  ["no JSON", "{"],
  ["null", "null"],
  ["no layout", JSON.stringify({ name: 5, indexes: null })],
  ["a name with SQL in it", JSON.stringify({ name: `x AS r, (${endless}) --`, indexes: [], text: [] })],
  ["the name of another kind", JSON.stringify({ name: "note", indexes: [], text: [] })],
  ["a control character in a field", JSON.stringify({ name: "zzz", indexes: [], text: ["a\0b"] })],
])("the check, the export and lists report a kind whose layout is %s", async (_, layout) => {
  const store = await changedStore((database) => database.prepare("INSERT INTO kind VALUES (?, ?)").run("zzz", layout));
  await expect(store.check()).rejects.toMatchObject(damaged);
  await expect(exported(store)).rejects.toMatchObject(damaged);
  await expect(store.workspaces()).rejects.toMatchObject(damaged);
  await store.end();
});

test("the check and the export report a kind without its table", async () => {
  const store = await changedStore((database) =>
    database.exec(`INSERT INTO kind VALUES ('zzz', '{"name":"zzz","indexes":[],"text":[]}')`),
  );
  const problems = await store.check();
  expect(problems).toContain("the table or index kind_zzz__record is missing");
  expect(problems).toContainEqual(expect.stringContaining("records of kind zzz cannot be read"));
  await expect(exported(store)).rejects.toMatchObject(damaged);
  await store.end();
});

test("an archive adds at most 64 indexes to a kind, and the store stays readable", async () => {
  const store = sqlite(path.join(scratchFolder(), "store.db"));
  await store.put(note, { text: "precious" }, { id: "a" });
  const lines = (kind: string) =>
    Array.from({ length: 16 }, (_, line) => ({
      kind,
      indexes: Array.from({ length: 64 }, (_, at) => [{ path: `f${line * 64 + at}`, type: "string" as const }]),
      text: [],
    }));
  for (const kind of ["note", "other"]) {
    await expect(store.import([...lines(kind), { records: 0 }])).rejects.toMatchObject({ code: "too_large" });
  }
  const text = Array.from({ length: 64 }, (_, at) => `f${at}`);
  await store.import([{ kind: "other", indexes: [], text }, { records: 0 }]);
  const more = store.import([{ kind: "other", indexes: [], text: ["one more"] }, { records: 0 }]);
  const message: unknown = expect.stringMatching(/^line 1: the kind other would have more than 64/);
  await expect(more).rejects.toMatchObject({ code: "too_large", message });
  expect(await store.import([...lines("note"), { records: 0 }], [note])).toEqual({ records: 0 });
  expect(await store.get(note, "a")).toMatchObject({ data: { text: "precious" } });
  expect(await store.check()).toEqual([]);
  await store.end();
});

test("an archive may add 200 undeclared kinds, and a store with many more lists its workspaces", async () => {
  const file = path.join(scratchFolder(), "store.db");
  const store = sqlite(file);
  await store.in("one").put(note, { text: "x" });
  const kinds = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => ({ kind: `k${from + at}`, indexes: [], text: [] }));
  await expect(store.import([...kinds(0, 1_100), { records: 0 }])).rejects.toMatchObject({
    code: "too_large",
    message: "line 200: the store would hold more than 200 kinds that no mounted pack declares",
  });
  // The kinds that the store holds count too.
  await store.import([...kinds(0, 150), { records: 0 }]);
  await expect(store.import([...kinds(150, 300), { records: 0 }])).rejects.toMatchObject({ code: "too_large" });
  await store.end();
  const driver = await openSqlite(file, { busyTimeoutMs: 10_000 });
  await driver.transaction(async (transaction) => {
    for (let at = 0; at < 300; at += 1) await transaction.ensureKind({ name: `many${at}`, indexes: [], text: [] });
  });
  await driver.end();
  const large = sqlite(file);
  expect(await large.workspaces()).toEqual(["one"]);
  await large.end();
});
