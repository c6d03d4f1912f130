import { setTimeout as wait } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import { isBusy } from "./sqlite-error.ts";

/** Runs write transactions on one connection. The caller runs one at a time. */
export interface Writer {
  /** Runs work while this connection holds SQLite's write lock. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work inside a transaction. If it rejects, only its writes are undone. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
  /** Runs statements that take the lock themselves and cannot be in a transaction. */
  outside(work: () => void): Promise<void>;
}

/** @param busyTimeoutMs milliseconds to wait for other processes before `unavailable` */
export function createWriter(connection: Connection, busyTimeoutMs: number): Writer {
  let depth = 0;

  const transaction = async <T>(work: () => Promise<T>): Promise<T> => {
    await retryWhileBusy(() => connection.exec("BEGIN IMMEDIATE"), busyTimeoutMs);
    try {
      const result = await work();
      connection.exec("COMMIT");
      return result;
    } catch (error) {
      rollback(connection, "ROLLBACK");
      throw error;
    }
  };
  return {
    transaction,
    async savepoint(work) {
      const name = `s${(depth += 1)}`;
      connection.exec(`SAVEPOINT ${name}`);
      try {
        const result = await work();
        connection.exec(`RELEASE ${name}`);
        return result;
      } catch (error) {
        rollback(connection, `ROLLBACK TO ${name}; RELEASE ${name}`);
        throw error;
      } finally {
        depth -= 1;
      }
    },
    outside: (work) => retryWhileBusy(work, busyTimeoutMs),
  };
}

/** Runs work that needs the lock. While another process holds it, retries without blocking this process. */
async function retryWhileBusy(work: () => void, busyTimeoutMs: number): Promise<void> {
  const deadline = performance.now() + busyTimeoutMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      // Random pauses, so that waiting processes do not all retry at the same time.
      await wait(pause * (0.5 + Math.random()));
    }
  }
}

/** Rolls back, unless SQLite already ended the transaction after an error such as a full disk. */
function rollback(connection: Connection, sql: string): void {
  if (connection.database.isTransaction) connection.exec(sql);
}
