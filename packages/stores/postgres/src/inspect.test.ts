import { note } from "@toolpacks/store-sql/fixture";
import { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "./fixture/index.ts";
import { inspectPostgres, postgres } from "./index.ts";

let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
  return () => server.remove();
});

test("inspectPostgres creates nothing, finds a store by its schema, and says why it cannot be written", async () => {
  const { address } = server;
  const client = new Client({ connectionString: address });
  await client.connect();
  await client.query("CREATE USER inspector PASSWORD 'secret'");
  const readOnly = `${address}?options=-c%20default_transaction_read_only%3Don`;
  const reader = address.replace("tester:", "inspector:");

  expect(await inspectPostgres(address)).toEqual({ exists: false });
  const schemas = await client.query("SELECT FROM pg_namespace WHERE nspname = 'toolpacks'");
  expect(schemas.rowCount).toBe(0);
  expect(await inspectPostgres(readOnly)).toEqual({ exists: false, writeProblem: "the database is read-only" });
  expect(await inspectPostgres(reader)).toEqual({ exists: false, writeProblem: "the user may not write to it" });

  const store = postgres(address, { schema: "shop" });
  await store.put(note, { text: "a" });
  await store.end();
  await client.query("GRANT USAGE ON SCHEMA shop TO inspector");
  await client.end();
  expect(await inspectPostgres(address)).toEqual({ exists: false });
  expect(await inspectPostgres(address, { schema: "shop" })).toEqual({ exists: true });
  expect(await inspectPostgres(reader, { schema: "shop" })).toEqual({
    exists: true,
    writeProblem: "the user may not write to it",
  });
});

test("inspectPostgres ignores connection errors, which opening the store reports", async () => {
  expect(await inspectPostgres("postgres://tester:secret@127.0.0.1:1/none")).toEqual({ exists: true });
});
