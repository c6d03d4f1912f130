/** What works on a whole store: a scan of every record, and the check for damage. */
import type { StoreDriver } from "@toolpacks/store";
import { everyRow, recordTable } from "@toolpacks/store-sql";
import type { Connection, Database } from "./database.ts";
import { readLayouts } from "./kind-tables.ts";
import { postgresError } from "./postgres-error.ts";
import { readGeneration, toRow } from "./reader.ts";

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

/** Finds problems in the stored data: broken indexes, a generation behind its records, and records without a workspace. */
export async function check(connection: Connection, schema: string): Promise<readonly string[]> {
  const broken = await connection.query(
    `SELECT indexrelid::regclass::text AS name FROM pg_index
     WHERE NOT (indisvalid AND indisready) AND indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = $1::regnamespace)`,
    [schema],
  );
  const problems = broken.map(({ name }) => `index ${String(name)} is not usable`);
  for (const { name } of await readLayouts(connection)) {
    const [row] = await connection.query(
      `SELECT COALESCE(max(r.generation), 0) AS latest, count(*) FILTER (WHERE w.number IS NULL) AS lost
       FROM ${recordTable(name)} AS r LEFT JOIN workspace AS w ON w.number = r.workspace`,
    );
    if (Number(row?.["latest"]) > (await readGeneration(connection))) {
      problems.push(`records of kind ${name} are newer than the store's generation`);
    }
    if (Number(row?.["lost"]) > 0)
      problems.push(`${Number(row?.["lost"])} records of kind ${name} are in no workspace`);
  }
  return problems;
}
