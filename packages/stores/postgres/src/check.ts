import { recordTable } from "@toolpacks/store-sql";
import type { Connection } from "./database.ts";
import { readLayouts } from "./kind-tables.ts";
import { readGeneration } from "./reader.ts";

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
