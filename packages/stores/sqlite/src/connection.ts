import type { DatabaseSync as Database, SQLInputValue, StatementSync } from "node:sqlite";
import type { CompiledQuery } from "kysely";
import { DatabaseSync } from "./node-sqlite.ts";
import { sqliteError } from "./sqlite-error.ts";

type SqlRow = Readonly<Record<string, unknown>>;

/** How long SQLite itself waits for a lock, with the process standing still. Longer waits are ours, and let it go on. */
const standingWaitMs = 50;

/** Statements kept prepared; the least lately used goes first. */
const maxStatements = 200;

/**
 * A connection to the file, with its prepared statements. Parameters in SQL are plain `?`: Node before 22.20 and 24.7 cannot bind
 * a numbered one (`?1`) by its position.
 */
export interface Connection {
  all(sql: string, ...values: readonly unknown[]): readonly SqlRow[];
  one(sql: string, ...values: readonly unknown[]): SqlRow | undefined;
  run(sql: string, ...values: readonly unknown[]): void;
  query(query: CompiledQuery): readonly SqlRow[];
  iterate(sql: string): IterableIterator<SqlRow>;
  /** Several statements, not kept. */
  exec(sql: string): void;
  readonly database: Database;
  /** Does nothing to a connection that is closed. */
  close(): void;
}

/** @throws ToolError `unavailable` */
export function openConnection(file: string | URL, { readOnly = false } = {}): Connection {
  const database = guard(() => {
    const opened = new DatabaseSync(file, { readOnly, timeout: standingWaitMs, defensive: true });
    try {
      // A commit is on disk when it returns; the default with WAL could lose the last ones with the power.
      // What the file's own schema says may call no function that reaches outside of the database.
      opened.exec(
        "PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY",
      );
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  });
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    const known = statements.get(sql);
    statements.delete(sql);
    const statement = known ?? database.prepare(sql);
    statements.set(sql, statement);
    if (statements.size > maxStatements) statements.delete(statements.keys().next().value ?? "");
    return statement;
  };
  const values = (given: readonly unknown[]) => given as SQLInputValue[];
  return {
    all: (sql, ...given) => guard(() => prepare(sql).all(...values(given))),
    one: (sql, ...given) => guard(() => prepare(sql).get(...values(given))),
    // `StatementSync.run` also reads the last row id. FTS5 leaves one there that no number holds, for which newer Node throws.
    run: (sql, ...given) => guard(() => void prepare(sql).all(...values(given))),
    query: ({ sql, parameters }) => guard(() => prepare(sql).all(...values(parameters))),
    *iterate(sql) {
      try {
        yield* database.prepare(sql).iterate();
      } catch (error) {
        throw sqliteError(error);
      }
    },
    exec: (sql) => guard(() => database.exec(sql)),
    database,
    close() {
      if (database.isOpen) database.close();
    },
  };
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw sqliteError(error);
  }
}
