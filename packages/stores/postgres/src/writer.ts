import { randomUUID } from "node:crypto";
import type { DriverTransaction } from "@toolpacks/core/store";
import pLimit from "p-limit";
import type { Connection, Database, SqlRow } from "./database.ts";
import { remainingMs, renewDeadline, withStatementLimit } from "./deadline.ts";
import { isBlocked, isLostConnection } from "./postgres-error.ts";
import { openTransaction } from "./transaction.ts";

export interface WriterOptions {
  /** What NOTIFY is sent on. */
  readonly channel: string;
  /** Milliseconds to wait for another writer. */
  readonly timeoutMs: number;
}

/** The one writer of this store object: work runs in its turn, and one at a time over all processes. */
export interface Writer {
  transaction<T>(work: (transaction: DriverTransaction) => Promise<T>): Promise<T>;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

/**
 * A transaction begins by locking the row that holds the generation, so generations are committed in their order, and nothing that it read
 * changes before it writes. It is run again when it was surely not committed: each leaves its number in the writer's own row, and where the
 * connection was lost while COMMIT was under way, the next one looks there first. (The server's own transaction numbers do not
 * tell: after a crash they are given again.)
 */
export function createWriter(database: Database, { channel, timeoutMs }: WriterOptions): Writer {
  const turn = pLimit(1);
  const writer = randomUUID();
  let last = 0;

  const transaction = async <T>(work: (transaction: DriverTransaction) => Promise<T>): Promise<T> => {
    const serial = (last += 1);
    let result: { readonly value: T } | undefined;
    const attempt = async (connection: Connection): Promise<T> => {
      await connection.query(`BEGIN; SET LOCAL lock_timeout = ${remainingMs(timeoutMs)}`);
      const [locked] = await connection.query("SELECT generation FROM toolpacks FOR UPDATE");
      return withStatementLimit(() => written(connection, locked));
    };
    const written = async (connection: Connection, locked: SqlRow | undefined): Promise<T> => {
      if (result !== undefined && (await lastSerial(connection, writer)) === serial) {
        await connection.query("ROLLBACK");
        return result.value;
      }
      // Writers come and go with their processes; only one whose commit is in doubt is asked about, at once.
      if (serial === 1) await connection.query("DELETE FROM writer WHERE seen < now() - interval '1 day'");
      const before = Number(locked?.["generation"]);
      const open = openTransaction(connection, before);
      const value = await work(open);
      if (open.reached() !== before) {
        await connection.query(recordCommit, [open.reached(), channel, writer, serial]);
        result = { value };
      }
      await connection.query("COMMIT");
      return value;
    };
    return database.retry(() => database.lend((connection) => orRollBack(connection, attempt)));
  };
  let blocked: { readonly error: unknown } | undefined;
  /** Work whose deadline passed in the queue fails with the writer before it where the database is blocked, and otherwise runs. */
  const inTurn = async <T>(until: number, work: () => Promise<T>): Promise<T> => {
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
    transaction(work) {
      const until = performance.now() + remainingMs(timeoutMs);
      return turn(() => inTurn(until, () => transaction(work)));
    },
    idle: () => turn(() => {}),
  };
}

/** The new generation, who reached it, and word of it to those who watch. */
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

async function orRollBack<T>(connection: Connection, attempt: (connection: Connection) => Promise<T>): Promise<T> {
  try {
    return await attempt(connection);
  } catch (error) {
    if (!isLostConnection(error)) await connection.query("ROLLBACK");
    throw error;
  }
}
