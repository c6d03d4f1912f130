/** Information about a store that is not open. */
import type { PostgresOptions } from "./postgres.ts";

/** What is known of a store in a database without opening the store, which would create it. */
export interface PostgresInspection {
  /** Whether there is a store. Also true when the database does not answer: opening the store then reports the error. */
  readonly exists: boolean;
  /** The reason why the store cannot be written, or cannot be created. */
  readonly writeProblem?: string;
}

const connectTimeoutMs = 10_000;

const question = `
  WITH store AS (SELECT to_regclass($1) AS counter)
  SELECT counter IS NOT NULL AS exists, current_setting('transaction_read_only')::boolean AS read_only,
    CASE WHEN counter IS NULL THEN has_database_privilege(current_database(), 'CREATE') ELSE has_table_privilege(counter, 'UPDATE') END AS allowed
  FROM store`;

/**
 * Finds out whether a database has a store, and whether its user may write it. Creates nothing.
 *
 * @param address `postgres://user:password@host:port/database`
 */
export async function inspectPostgres(
  address: string,
  { schema = "toolpacks" }: Pick<PostgresOptions, "schema"> = {},
): Promise<PostgresInspection> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: address, connectionTimeoutMillis: connectTimeoutMs });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ exists: boolean; read_only: boolean; allowed: boolean }>(question, [
      `${schema}.toolpacks`,
    ]);
    const [found] = rows;
    if (found === undefined) return { exists: true };
    const { exists, read_only: readOnly, allowed } = found;
    if (readOnly) return { exists, writeProblem: "the database is read-only" };
    return allowed ? { exists } : { exists, writeProblem: "the user may not write to it" };
  } catch {
    return { exists: true };
  } finally {
    await client.end().catch(() => {});
  }
}
