import type { DriverTransaction } from "@toolpacks/core/store";
import { setTimeout as wait } from "node:timers/promises";
import type { Connection, Database } from "./database.ts";
import { isLostConnection } from "./postgres-error.ts";
import { openTransaction } from "./transaction.ts";

export interface WriterOptions {
  /** What NOTIFY is sent on. */
  readonly channel: string;
  /** Milliseconds to wait for another writer. */
  readonly patience: number;
}

/**
 * Runs work as the one writer: its transaction begins by locking the row that holds the generation, so generations are
 * committed in their order, and nothing that it read changes before it writes. It is run again when it was surely not committed.
 */
export async function runTransaction<T>(
  database: Database,
  { channel, patience }: WriterOptions,
  work: (transaction: DriverTransaction) => Promise<T>,
): Promise<T> {
  return database.retry(() => {
    const attempt: Attempt = { committing: false };
    const run = database.lend(async (connection) => {
      await connection.query(`BEGIN; SET LOCAL lock_timeout = ${patience}`);
      try {
        const [row] = await connection.query(
          "SELECT generation, pg_current_xact_id()::text AS transaction FROM toolpacks FOR UPDATE",
        );
        attempt.transaction = String(row?.["transaction"]);
        const before = Number(row?.["generation"]);
        const transaction = openTransaction(connection, before);
        const result = await work(transaction);
        attempt.result = { value: result };
        await record(connection, { before, after: transaction.reached(), channel });
        attempt.committing = true;
        await connection.query("COMMIT");
        return result;
      } catch (error) {
        if (!isLostConnection(error)) await connection.query("ROLLBACK");
        throw error;
      }
    });
    return run.catch(async (error: unknown) => {
      if (attempt.committing && isLostConnection(error) && (await wasCommitted(database, attempt.transaction))) {
        return attempt.result?.value as T;
      }
      throw error;
    });
  });
}

interface Attempt {
  committing: boolean;
  transaction?: string;
  result?: { readonly value: unknown };
}

async function record(
  connection: Connection,
  { before, after, channel }: { readonly before: number; readonly after: number; readonly channel: string },
): Promise<void> {
  if (after === before) return;
  await connection.query(
    "WITH counted AS (UPDATE toolpacks SET generation = $1 RETURNING generation) SELECT pg_notify($2, generation::text) FROM counted",
    [after, channel],
  );
}

/** The connection was lost after COMMIT was sent: only the server knows what came of it. */
async function wasCommitted(database: Database, transaction: string | undefined): Promise<boolean> {
  for (;;) {
    const [row] = await database.query("SELECT pg_xact_status($1::xid8) AS status", [transaction]);
    if (row?.["status"] !== "in progress") return row?.["status"] === "committed";
    await wait(20);
  }
}
