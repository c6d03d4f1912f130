/** A connection to a SQLite file: `node:sqlite`, with cached statements and the errors of a store. */
import type { DatabaseSync as Database, SQLInputValue, StatementSync } from "node:sqlite";
import { ToolError, type RecordData } from "@toolpacks/core";
import type { Row } from "@toolpacks/store";
import type { CompiledQuery } from "kysely";
import { damagedError, sqliteError } from "./sqlite-error.ts";

/**
 * Loads `node:sqlite` without Node's experimental warning, because MCP clients show stderr as an error.
 *
 * @throws ToolError `unavailable` when this Node has no SQLite, or one without full-text search
 */
function loadSqlite() {
  const warner: { emitWarning: unknown } = process;
  const { emitWarning } = warner;
  // Loading is synchronous, so no other warning is lost.
  warner.emitWarning = () => {};
  try {
    const sqlite = process.getBuiltinModule?.("node:sqlite");
    // The releases with `location` also have FTS5, `timeout` and `isTransaction`. This check needs no open database.
    if (sqlite !== undefined && "location" in sqlite.DatabaseSync.prototype) return sqlite;
  } finally {
    warner.emitWarning = emitWarning;
  }
  throw new ToolError(
    "unavailable",
    `the store: the SQLite of Node.js ${process.versions.node} is missing or has no full-text search`,
    "Use Node.js 24 or newer, or 22.16 or newer of line 22, without --no-experimental-sqlite.",
  );
}

export const { DatabaseSync, backup } = loadSqlite();

type SqlRow = Readonly<Record<string, unknown>>;

/** How long SQLite waits for a lock, which blocks the process. Longer waits do not block. */
const blockingWaitMs = 50;

/** Maximum number of prepared statements in the cache. The least recently used is removed first. */
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
  /** Runs several statements without caching them. */
  exec(sql: string): void;
  readonly database: Database;
  /** Closes the connection. Does nothing if it is closed. */
  close(): void;
}

/** @throws ToolError `unavailable` */
export function openConnection(file: string | URL, { readOnly = false } = {}): Connection {
  const database = convertErrors(() => {
    const opened = new DatabaseSync(file, {
      readOnly,
      timeout: blockingWaitMs,
      defensive: true,
      // The store has no foreign keys. One that another program adds must change no record.
      enableForeignKeyConstraints: false,
    });
    try {
      // With synchronous = FULL a commit is on disk when it returns. The default with WAL can lose the last commits in a power failure.
      // With trusted_schema = OFF the schema of the file cannot call functions with side effects.
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
  const values = (args: readonly unknown[]) => args as SQLInputValue[];
  return {
    all: (sql, ...args) => convertErrors(() => prepare(sql).all(...values(args))),
    one: (sql, ...args) => convertErrors(() => prepare(sql).get(...values(args))),
    // `StatementSync.run` also reads the last row id. FTS5 can set one that is too large for a number, and newer Node then throws.
    run: (sql, ...args) => convertErrors(() => void prepare(sql).all(...values(args))),
    query: ({ sql, parameters }) => convertErrors(() => prepare(sql).all(...values(parameters))),
    *iterate(sql) {
      try {
        yield* database.prepare(sql).iterate();
      } catch (error) {
        throw sqliteError(error);
      }
    },
    exec: (sql) => convertErrors(() => database.exec(sql)),
    database,
    close() {
      if (database.isOpen) database.close();
    },
  };
}

function convertErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw sqliteError(error);
  }
}

/** Runs reads in a transaction, so that writes between the statements are not visible. */
export function withSnapshot<T>(connection: Connection, work: () => T): T {
  if (connection.database.isTransaction) return work();
  connection.run("BEGIN");
  try {
    return work();
  } finally {
    connection.run("COMMIT");
  }
}

/** Parses stored JSON. @throws ToolError `unavailable` when a damaged file makes it invalid */
export function parseStored(json: unknown): unknown {
  try {
    return JSON.parse(String(json)) as unknown;
  } catch (error) {
    throw damagedError(error);
  }
}

/** Converts the columns of a record to a row. */
export function toRow(row: Readonly<Record<string, unknown>>): Row {
  return {
    workspace: String(row["workspace"]),
    id: String(row["id"]),
    closed: row["closed"] === 1,
    data: parseStored(row["data"]) as RecordData,
    generation: Number(row["generation"]),
  };
}
