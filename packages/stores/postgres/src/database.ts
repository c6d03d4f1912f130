import pLimit from "p-limit";
import pRetry, { type Options } from "p-retry";
import { Client, Pool, TypeOverrides, types, type PoolClient, type PoolConfig } from "pg";
import type { CompiledQuery } from "kysely";
import { beforeDeadline, isLimited, remainingMs } from "./deadline.ts";
import { isContention, isLostConnection, postgresError } from "./postgres-error.ts";

/** A row as `pg` gives it, whole numbers as numbers. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** What runs a statement: the pool, or one connection of it. */
export interface Connection {
  query(text: string, values?: readonly unknown[]): Promise<readonly SqlRow[]>;
  run(query: CompiledQuery): Promise<readonly SqlRow[]>;
}

/** The pool, and how patient it is. */
export interface Database extends Connection {
  /** Lends one connection. It is closed, not reused, when it was lost. */
  lend<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Tries again what was surely not done: contention, a connection lost before anything was kept. */
  retry<T>(work: () => Promise<T>): Promise<T>;
  /** A connection outside of the pool. */
  dedicated(): Client;
  end(): Promise<void>;
}

export interface DatabaseOptions {
  readonly address: string;
  readonly schema: string;
  readonly connections: number;
  readonly timeoutMs: number;
}

// PostgreSQL's long whole numbers come as numbers: the store's own are far below 2^53.
const numbers = new TypeOverrides();
numbers.setTypeParser(types.builtins.INT8, Number);

export function openDatabase({ address, schema, connections, timeoutMs }: DatabaseOptions): Database {
  const config: PoolConfig = {
    connectionString: address,
    application_name: "toolpacks",
    options: `-c search_path=${schema} -c idle_in_transaction_session_timeout=60000`,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    types: numbers,
  };
  const pool = new Pool({ ...config, max: connections, allowExitOnIdle: true });
  // A connection that breaks while nobody uses it is replaced at its next use.
  pool.on("error", () => {});
  const retries: Options = {
    retries: 30,
    minTimeout: 20,
    maxTimeout: 1_000,
    randomize: true,
    shouldRetry: ({ error }) => isContention(error) || isLostConnection(error),
  };
  const retry = async <T>(work: () => Promise<T>): Promise<T> => {
    return pRetry(work, { ...retries, maxRetryTime: remainingMs(timeoutMs) }).catch(rejectMapped);
  };
  const lend: Database["lend"] = async (work) => {
    const client = await connect(pool, timeoutMs);
    // Without a listener, a connection that breaks between two statements would end the process.
    const ignore = () => {};
    client.on("error", ignore);
    try {
      // A transaction's reads may be started together; its connection answers one after the other.
      const inTurn = pLimit(1);
      const query = (text: string, values: unknown[]) =>
        inTurn(() => {
          const answer = client.query(text, values);
          return isLimited() ? beforeDeadline(answer, "PostgreSQL to answer", timeoutMs) : answer;
        }).catch(rejectMapped);
      const result = await work(connection(query));
      client.release();
      return result;
    } catch (error) {
      client.release(isLostConnection(error));
      throw error;
    } finally {
      client.off("error", ignore);
    }
  };
  return {
    ...connection((text, values) => retry(() => lend((one) => one.query(text, values)).then((rows) => ({ rows })))),
    lend,
    retry,
    dedicated: () => new Client(config),
    end: () => pool.end(),
  };
}

/** A connection that comes too late goes back to the pool. */
async function connect(pool: Pool, timeoutMs: number): Promise<PoolClient> {
  const connecting = pool.connect();
  try {
    return await beforeDeadline(connecting, "a connection to PostgreSQL", timeoutMs);
  } catch (error) {
    connecting.then((client) => client.release()).catch(() => {});
    throw error;
  }
}

function rejectMapped(error: unknown): never {
  throw postgresError(error);
}

function connection(
  query: (text: string, values: unknown[]) => Promise<{ readonly rows: readonly SqlRow[] }>,
): Connection {
  const run = async (text: string, values: readonly unknown[] = []) => (await query(text, [...values])).rows;
  return { query: run, run: ({ sql, parameters }) => run(sql, parameters) };
}
