import { note } from "@toolpacks/store-sql/fixture";
import { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { postgres, type PostgresOptions } from "./index.ts";
import { databaseBehindProxy, type ProxiedDatabase } from "./fixture/index.ts";

let server: ProxiedDatabase;
let schemas = 0;
beforeAll(async () => {
  server = await databaseBehindProxy();
  return () => server.remove();
});

function newPlace() {
  const schema = `place_${(schemas += 1)}`;
  return { schema, open: (options: PostgresOptions = {}) => postgres(server.address, { schema, ...options }) };
}

async function administer(sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: server.direct });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const cutEveryConnection =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'toolpacks' AND datname = current_database()";

test("a transaction whose connection is lost is retried, and applied once", async () => {
  const store = newPlace().open();
  await store.put(note, { text: "first" }, { id: "a" });
  let runs = 0;
  const kept = await store.transaction(async (inside) => {
    runs += 1;
    await inside.put(note, { text: "inside" }, { id: `run${runs}` });
    if (runs === 1) await administer(cutEveryConnection);
    return inside.put(note, { text: "last" }, { id: "last" });
  });
  expect(runs).toBe(2);
  expect(kept.generation).toBe(3);
  expect((await store.query(note)).items.map(({ id }) => id)).toEqual(["a", "run2", "last"]);
  await store.end();
});

test("an import whose connection is lost fails, keeps nothing, and can be repeated", async () => {
  const [from, to] = [newPlace().open(), newPlace().open()];
  for (let at = 0; at < 20; at += 1) await from.put(note, { text: `note ${at}` });
  const lines = (cut: () => Promise<unknown>) =>
    (async function* () {
      let read = 0;
      for await (const line of from.export()) {
        yield line;
        if ((read += 1) === 10) await cut();
      }
    })();
  await to.generation();
  await expect(to.import(lines(() => administer(cutEveryConnection)))).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("nothing of it was kept"),
  });
  expect((await to.query(note)).total).toBe(0);
  expect(await to.import(lines(async () => {}))).toEqual({ records: 20 });
  expect((await to.query(note)).total).toBe(20);
  await from.end();
  await to.end();
});

test("idle connections that are lost are replaced", async () => {
  const store = newPlace().open();
  const heard: number[] = [];
  const stop = await store.watch((generation) => heard.push(generation));
  await store.put(note, { text: "one" }, { id: "a" });
  await administer(cutEveryConnection);
  expect((await store.get(note, "a"))?.data.text).toBe("one");
  await store.put(note, { text: "two" }, { id: "b" });
  await expect.poll(() => heard.at(-1), { timeout: 5_000 }).toBe(2);
  await stop();
  await store.end();
});

test("a server that does not answer fails with unavailable and the cause, and is used again when it is back", async () => {
  const place = newPlace();
  const store = place.open({ timeoutMs: 300 });
  await store.put(note, { text: "one" }, { id: "a" });
  await server.stop();
  for (const call of [
    () => store.put(note, { text: "two" }, { id: "b" }),
    () => store.get(note, "a"),
    () => store.query(note),
  ]) {
    await expect(call()).rejects.toMatchObject({
      code: "unavailable",
      message: "the store: nothing listens at its address",
    });
  }
  const closed = postgres("postgres://someone:hidden-word@127.0.0.1:1/none", { timeoutMs: 100 });
  const failure: unknown = await closed.generation().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "unavailable" });
  expect(JSON.stringify(failure) + String(failure)).not.toContain("hidden-word");
  await server.start();
  expect((await store.query(note)).items.map(({ id }) => id)).toEqual(["a"]);
  await store.end();
});

test("a wrong password, an unknown database and a user without write access fail with unavailable and the cause", async () => {
  const address = new URL(server.address);
  const cases: [address: string, cause: string][] = [];
  address.password = "wrong";
  cases.push([address.href, "the user or password is not accepted"]);
  address.password = "secret";
  address.pathname = "/nowhere";
  cases.push([address.href, "there is no such database"]);
  await administer("CREATE USER reader PASSWORD 'read'");
  address.username = "reader";
  address.password = "read";
  ({ pathname: address.pathname } = new URL(server.address));
  cases.push([address.href, "the user may not do this"]);
  for (const [wrong, cause] of cases) {
    const store = postgres(wrong, { schema: "forbidden", timeoutMs: 5_000 });
    await expect(store.generation()).rejects.toMatchObject({ code: "unavailable", message: `the store: ${cause}` });
    await store.end();
  }
});

test("a schema of a newer version is not changed", async () => {
  const { schema, open } = newPlace();
  const store = open();
  await store.put(note, { text: "one" }, { id: "a" });
  await store.end();
  await administer(`UPDATE ${schema}.schema_version SET version = 99`);
  const older = open();
  await expect(older.get(note, "a")).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("version 99"),
  });
  await older.end();
});

test("a write waits for another writer until the timeout", async () => {
  const { schema, open } = newPlace();
  const store = open({ timeoutMs: 200 });
  await store.put(note, { text: "one" }, { id: "a" });
  const holder = new Client({ connectionString: server.direct });
  await holder.connect();
  await holder.query(`BEGIN; SELECT FROM ${schema}.toolpacks FOR UPDATE`);
  await expect(store.put(note, { text: "two" })).rejects.toMatchObject({
    code: "unavailable",
    message: "the store: another writer has held it for too long",
  });
  expect((await store.query(note)).total).toBe(1);
  await holder.end();
  await store.put(note, { text: "two" });
  expect((await store.query(note)).total).toBe(2);
  await store.end();
});

test("the check finds a damaged index and a counter behind its records", async () => {
  const { schema, open } = newPlace();
  const store = open();
  await store.put(note, { text: "one" }, { id: "a" });
  expect(await store.check()).toEqual([]);
  await administer(
    `UPDATE ${schema}.toolpacks SET generation = 0;
     UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${schema}.kind_note__by_words'::regclass`,
  );
  expect(await store.check()).toEqual([
    expect.stringContaining("kind_note__by_words is not usable"),
    "records of kind note are newer than the store's generation",
  ]);
  await store.end();
});

test("kind names and stored layouts in a database of an older version run no SQL", async () => {
  const { schema, open } = newPlace();
  const store = open();
  await store.put(note, { text: "one" }, { id: "a" });
  await store.end();
  const name = `note__record; CREATE TABLE ${schema}.stolen (a); SELECT * FROM kind_note`;
  await administer(`INSERT INTO ${schema}.kind VALUES ('${name}', '{"name": "${name}", "indexes": [], "text": []}')`);
  const damaged = { code: "unavailable", message: "the store: stored data is damaged" };
  const current = open();
  await expect(current.check()).rejects.toMatchObject(damaged);
  await expect(current.workspaces()).rejects.toMatchObject(damaged);
  await current.end();
  await administer(
    `ALTER TABLE ${schema}.workspace DROP COLUMN bytes; UPDATE ${schema}.schema_version SET version = 1`,
  );
  const older = open();
  await expect(older.generation()).rejects.toMatchObject(damaged);
  await older.end();
  expect(await administer(`SELECT tablename FROM pg_tables WHERE tablename = 'stolen'`)).toEqual([]);
});

test.each([
  [
    "a trigger that drops inserts",
    (schema: string) =>
      `CREATE FUNCTION ${schema}.drop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER mine BEFORE INSERT ON ${schema}.kind_note__record FOR EACH ROW EXECUTE FUNCTION ${schema}.drop()`,
  ],
  ["a rule", (schema: string) => `CREATE RULE mine AS ON INSERT TO ${schema}.kind_note__record DO INSTEAD NOTHING`],
  ["too large a generation", (schema: string) => `UPDATE ${schema}.toolpacks SET generation = 9223372036854775807`],
  ["no generation", (schema: string) => `DELETE FROM ${schema}.toolpacks`],
  ["a missing table", (schema: string) => `DROP TABLE ${schema}.kind_note__record`],
])("a database with %s is damaged, and a write to it is not acknowledged", async (_, sql) => {
  const { schema, open } = newPlace();
  const store = open();
  await store.put(note, { text: "one" }, { id: "a" });
  await administer(sql(schema));
  const calls = [store.query(note), store.generation(), store.put(note, { text: "two" })];
  const results = await Promise.allSettled(calls);
  const damaged = { code: "unavailable", message: "the store: stored data is damaged" };
  expect(results.at(-1)).toMatchObject({ status: "rejected" });
  for (const result of results) if (result.status === "rejected") expect(result.reason).toMatchObject(damaged);
  await store.end();
});
