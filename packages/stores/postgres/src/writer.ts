/** Write transactions: one at a time over all processes, each committed exactly once. */
import { randomUUID } from "node:crypto";
import type { DriverTransaction } from "@toolpacks/store";
import pLimit from "p-limit";
import type { Connection, Database, SqlRow } from "./database.ts";
import { remainingMs, renewDeadline, withStatementLimit } from "./deadline.ts";
import { isBlocked, isLostConnection, storedGeneration } from "./postgres-error.ts";
import { openTransaction } from "./transaction.ts";

interface WriterOptions {
  /** The channel of NOTIFY. */
  readonly channel: string;
  /** Timeout for waiting for another writer, in ms. */
  readonly timeoutMs: number;
}

/**
 * Runs the write transactions of a store. Only one runs at a time, over all processes.
 *
 * A transaction first locks the row with the generation. So generations are committed in order, and nothing that it reads changes before it writes.
 * Each transaction stores its serial number in the row of this writer. If the connection is lost during COMMIT, the next attempt reads this row to
 * find out whether the transaction was committed, and repeats it only if not. The server's transaction ids cannot be used: it assigns them again
 * after a crash.
 */
export function createWriter(database: Database, { channel, timeoutMs }: WriterOptions) {
  const queue = pLimit(1);
  const writer = randomUUID();
  let lastNumber = 0;

  const transaction = async <T>(work: (transaction: DriverTransaction) => Promise<T>): Promise<T> => {
    const serial = (lastNumber += 1);
    let result: { readonly value: T } | undefined;
    const attempt = async (connection: Connection): Promise<T> => {
      await connection.query(`BEGIN; SET LOCAL lock_timeout = ${remainingMs(timeoutMs)}`);
      const [locked] = await connection.query("SELECT generation FROM toolpacks FOR UPDATE");
      return withStatementLimit(() => runLocked(connection, locked));
    };
    const runLocked = async (connection: Connection, locked: SqlRow | undefined): Promise<T> => {
      if (result !== undefined && (await lastSerial(connection, writer)) === serial) {
        await connection.query("ROLLBACK");
        return result.value;
      }
      // Rows of old writers are not needed: a row is read only directly after a commit in doubt.
      if (serial === 1) await connection.query("DELETE FROM writer WHERE seen < now() - interval '1 day'");
      const before = storedGeneration(locked?.["generation"]);
      const open = openTransaction(connection, before);
      const value = await work(open);
      if (open.currentGeneration() !== before) {
        await connection.query(recordCommit, [open.currentGeneration(), channel, writer, serial]);
        result = { value };
      }
      await connection.query("COMMIT");
      return value;
    };
    return database.retry(() => database.withConnection((connection) => withRollback(connection, attempt)));
  };
  let blocked: { readonly error: unknown } | undefined;
  /** Runs work from the queue. If its deadline has passed and the database is blocked, it fails with the error of the previous writer. */
  const runQueued = async <T>(until: number, work: () => Promise<T>): Promise<T> => {
    const left = until - performance.now();
    if (left <= 0 && blocked !== undefined) throw blocked.error;
    try {
      const result = await (left > 0 ? work() : renewDeadline(timeoutMs, work));
      blocked = undefined;
      return result;
    } catch (error) {
      blocked = isBlocked(error) ? { error } : undefined;
      throw error;
    }
  };
  return {
    transaction<T>(work: (transaction: DriverTransaction) => Promise<T>): Promise<T> {
      const until = performance.now() + remainingMs(timeoutMs);
      return queue(() => runQueued(until, () => transaction(work)));
    },
    /** Resolves when the queue is empty. */
    idle: () => queue(() => {}),
  };
}

/** Stores the new generation and the serial number of the writer, and notifies watchers. */
const recordCommit = `WITH
  counted AS (UPDATE toolpacks SET generation = $1 RETURNING generation),
  written AS (
    INSERT INTO writer (id, serial, seen) VALUES ($3, $4, now())
    ON CONFLICT (id) DO UPDATE SET serial = EXCLUDED.serial, seen = EXCLUDED.seen
  )
  SELECT pg_notify($2, generation::text) FROM counted`;

async function lastSerial(connection: Connection, writer: string): Promise<number> {
  return Number((await connection.query("SELECT serial FROM writer WHERE id = $1", [writer]))[0]?.["serial"]);
}

async function withRollback<T>(connection: Connection, attempt: (connection: Connection) => Promise<T>): Promise<T> {
  try {
    return await attempt(connection);
  } catch (error) {
    if (!isLostConnection(error)) await connection.query("ROLLBACK");
    throw error;
  }
}
