import type { KindLayout, StoreDriver } from "@toolpacks/core/store";
import { recordTable } from "@toolpacks/store-sql";
import type { Database } from "./database.ts";
import { toRow } from "./find.ts";
import { readLayouts } from "./kind-tables.ts";
import { postgresError } from "./postgres-error.ts";

const batchSize = 1_000;

/** Every row of every kind, read by cursors in one transaction with a consistent snapshot. */
export async function* scan(database: Database): ReturnType<StoreDriver["scan"]> {
  const client = database.createClient();
  client.on("error", () => {});
  const connection = {
    query: async (text: string, values: readonly unknown[] = []) =>
      (await client.query<Record<string, unknown>>(text, [...values])).rows,
    run: async () => [],
  };
  try {
    await client.connect();
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    for (const kind of await readLayouts(connection)) {
      yield { kind };
      await client.query(`DECLARE every_row NO SCROLL CURSOR FOR ${everyRow(kind)}`);
      for (;;) {
        const rows = await connection.query(`FETCH ${batchSize} FROM every_row`);
        for (const row of rows) yield { kind, row: toRow(row) };
        if (rows.length < batchSize) break;
      }
      await client.query("CLOSE every_row");
    }
  } catch (error) {
    throw postgresError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

function everyRow({ name }: KindLayout): string {
  return `SELECT r.id, r.generation, r.closed, r.data, w.name AS workspace
    FROM ${recordTable(name)} AS r JOIN workspace AS w ON w.number = r.workspace ORDER BY r.seq`;
}
