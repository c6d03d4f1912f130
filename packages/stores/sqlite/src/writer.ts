import { setTimeout as wait } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import { isBusy } from "./sqlite-error.ts";

/** Writes through one connection. The caller runs one transaction at a time. */
export interface Writer {
  /** Runs work while this connection holds SQLite's write lock. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Undoes what work wrote when it rejects, inside a transaction. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
  /** Runs what takes the lock by itself, and cannot be part of a transaction. */
  outside(work: () => void): Promise<void>;
}

/** @param busyTimeoutMs milliseconds to wait for other processes before `unavailable` */
export function createWriter(connection: Connection, busyTimeoutMs: number): Writer {
  let depth = 0;

  const transaction = async <T>(work: () => Promise<T>): Promise<T> => {
    await patiently(() => connection.exec("BEGIN IMMEDIATE"), busyTimeoutMs);
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
    outside: (work) => patiently(work, busyTimeoutMs),
  };
}

/** Does what needs a lock. While another process has it, this one goes on with other work and asks again. */
async function patiently(work: () => void, busyTimeoutMs: number): Promise<void> {
  const deadline = performance.now() + busyTimeoutMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      // Different pauses, so that those who wait do not all come back at once.
      await wait(pause * (0.5 + Math.random()));
    }
  }
}

/** SQLite ends a transaction by itself after some errors (a full disk); there is nothing left to undo then. */
function rollback(connection: Connection, sql: string): void {
  if (connection.database.isTransaction) connection.exec(sql);
}
