import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { note } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { sqlite } from "./index.ts";
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

test("the name of a kind in a store of an older version runs no SQL", async () => {
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

test.each([
  ["a view in place of a table", `DROP TABLE toolpacks; CREATE VIEW toolpacks (generation, store_id) AS ${endless}`],
  ["a trigger", `CREATE TRIGGER mine AFTER INSERT ON kind_note__record BEGIN DELETE FROM kind_note__record; END`],
  ["another virtual table", "CREATE VIRTUAL TABLE other USING fts5 (a)"],
])("a store with %s is refused before anything of it runs", async (_, sql) => {
  const store = await changedStore((database) => database.exec(`PRAGMA journal_mode = DELETE; ${sql}`));
  await expect(store.get(note, "a")).rejects.toMatchObject(damaged);
  await expect(store.check()).rejects.toMatchObject(damaged);
  await store.end();
});

test.each([
  ["no JSON", "{"],
  ["null", "null"],
  ["no layout", JSON.stringify({ name: 5, indexes: null })],
  ["a name with SQL in it", JSON.stringify({ name: `x AS r, (${endless}) --`, indexes: [], text: [] })],
  ["the name of another kind", JSON.stringify({ name: "note", indexes: [], text: [] })],
  ["a control character in a field", JSON.stringify({ name: "zzz", indexes: [], text: ["a\0b"] })],
])("a kind whose layout is %s is damage for the check, the export and lists alike", async (_, layout) => {
  const store = await changedStore((database) => database.prepare("INSERT INTO kind VALUES (?, ?)").run("zzz", layout));
  expect(await store.check()).toEqual(["the store: the file is damaged"]);
  await expect(exported(store)).rejects.toMatchObject(damaged);
  await expect(store.workspaces()).rejects.toMatchObject(damaged);
  await store.end();
});

test("a kind without its table is damage for the check as for the export", async () => {
  const store = await changedStore((database) =>
    database.exec(`INSERT INTO kind VALUES ('zzz', '{"name":"zzz","indexes":[],"text":[]}')`),
  );
  expect(await store.check()).toEqual([expect.stringContaining("records of kind zzz cannot be read")]);
  await expect(exported(store)).rejects.toMatchObject(damaged);
  await store.end();
});

test("an archive may bring 200 kinds that no pack declares, and a store with many more lists its workspaces", async () => {
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
  const database = new DatabaseSync(file);
  database.exec("BEGIN");
  for (let at = 0; at < 1_100; at += 1) {
    database.exec(`CREATE TABLE kind_many${at}__record AS SELECT * FROM kind_note__record WHERE 0`);
    database
      .prepare("INSERT INTO kind VALUES (?, ?)")
      .run(`many${at}`, JSON.stringify({ name: `many${at}`, indexes: [], text: [] }));
  }
  database.exec("COMMIT");
  database.close();
  const large = sqlite(file);
  expect(await large.workspaces()).toEqual(["one"]);
  await large.end();
});
