/** A table of counters that expire, beside the tables of a store. */
import { Pool } from "pg";
import { connectionConfig } from "./database.ts";
import { migrationLock } from "./migrations.ts";

export interface CounterTableOptions {
  readonly address: string;
  /** The schema of the table. The schema and the table are created if they do not exist. A lower-case name. */
  readonly schema: string;
  readonly table: string;
  /** Time in ms that a statement waits for a connection and for its answer. */
  readonly timeoutMs: number;
}

/** A table with the columns `key`, `points` and `expire` (in ms since 1970). A crash of the server empties it. */
export interface CounterTable {
  /** Runs a prepared statement. Rejects when the server does not answer in time. */
  query(statement: CounterStatement): Promise<{ readonly rows: readonly object[]; readonly rowCount: number | null }>;
  end(): Promise<void>;
}

export interface CounterStatement {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

const connections = 4;

/** Opens a pool of its own. It connects at the first statement. */
export function openCounterTable(options: CounterTableOptions): CounterTable {
  const { schema, table, timeoutMs } = options;
  const config = { ...connectionConfig(options), query_timeout: timeoutMs };
  const pool = new Pool({ ...config, max: connections, allowExitOnIdle: true });
  // The pool replaces an idle connection that breaks at its next use.
  pool.on("error", () => {});
  let created: Promise<unknown> | undefined;
  const create = () => {
    created ??= pool.query(`BEGIN; SELECT pg_advisory_xact_lock(${migrationLock});
      CREATE SCHEMA IF NOT EXISTS ${schema};
      CREATE UNLOGGED TABLE IF NOT EXISTS ${schema}.${table} (key text PRIMARY KEY, points integer NOT NULL, expire bigint);
      COMMIT`);
    created.catch(() => (created = undefined));
    return created;
  };
  return {
    async query(statement) {
      await create();
      return pool.query({ ...statement });
    },
    end: () => pool.end(),
  };
}
