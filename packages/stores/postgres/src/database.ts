/** The connections to a database: a pool with retries and deadlines. */
import pLimit from "p-limit";
import pRetry, { type Options } from "p-retry";
import { Client, Pool, TypeOverrides, types, type ClientConfig, type PoolClient } from "pg";
import type { CompiledQuery } from "kysely";
import { beforeDeadline, isLimited, remainingMs } from "./deadline.ts";
import { isContention, isLostConnection, postgresError } from "./postgres-error.ts";

/** A row as `pg` returns it, with bigint values as numbers. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs statements, on the pool or on one connection of it. */
export interface Connection {
  query(text: string, values?: readonly unknown[]): Promise<readonly SqlRow[]>;
  run(query: CompiledQuery): Promise<readonly SqlRow[]>;
}

/** A pool of connections with retries and a timeout. */
export interface Database extends Connection {
  /** Runs work with one connection. A lost connection is closed and not reused. */
  withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Repeats work that failed and certainly had no effect, because of contention or a connection that was lost before the commit. */
  retry<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Creates a connection outside of the pool.
   *
   * @param options.hasQueryTimeout whether a statement fails that gets no answer in time
   */
  createClient(options?: { readonly hasQueryTimeout: boolean }): Client;
  end(): Promise<void>;
}

export interface DatabaseOptions {
  readonly address: string;
  readonly schema: string;
  readonly connections: number;
  readonly timeoutMs: number;
}

// Parse bigint values as numbers: the store's values are far below 2^53.
const numbers = new TypeOverrides();
numbers.setTypeParser(types.builtins.INT8, Number);

/** The configuration of a connection whose statements use the tables of a schema. */
export function connectionConfig({ address, schema, timeoutMs }: Omit<DatabaseOptions, "connections">): ClientConfig {
  return {
    connectionString: address,
    application_name: "toolpacks",
    // Compiling a query takes longer than running it.
    options: `-c search_path=${schema} -c jit=off -c idle_in_transaction_session_timeout=60000`,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    types: numbers,
  };
}

export function openDatabase({ connections, ...options }: DatabaseOptions): Database {
  const { timeoutMs } = options;
  const config = connectionConfig(options);
  const pool = new Pool({ ...config, max: connections, allowExitOnIdle: true });
  // The pool replaces an idle connection that breaks at its next use.
  pool.on("error", () => {});
  // A connection can break at any moment, and without a listener that crashes the process. Its next statement reports it.
  pool.on("connect", (client) => client.on("error", () => {}));
  const retries: Options = {
    retries: 30,
    minTimeout: 20,
    maxTimeout: 1_000,
    randomize: true,
    shouldRetry: ({ error }) => isContention(error) || isLostConnection(error),
  };
  const retry = async <T>(work: () => Promise<T>): Promise<T> => {
    return pRetry(work, { ...retries, maxRetryTime: remainingMs(timeoutMs) }).catch(throwPostgresError);
  };
  const withConnection: Database["withConnection"] = async (work) => {
    const client = await connect(pool, timeoutMs);
    try {
      // A transaction can start several reads at once. Its connection runs them one after the other.
      const inTurn = pLimit(1);
      const query = (text: string, values: unknown[]) =>
        inTurn(() => {
          const answer = client.query(text, values);
          return isLimited() ? beforeDeadline(answer, "PostgreSQL to answer", timeoutMs) : answer;
        }).catch(throwPostgresError);
      const result = await work(connection(query));
      client.release();
      return result;
    } catch (error) {
      client.release(isLostConnection(error));
      throw error;
    }
  };
  return {
    ...connection((text, values) =>
      retry(() => withConnection((one) => one.query(text, values)).then((rows) => ({ rows }))),
    ),
    withConnection,
    retry,
    createClient: ({ hasQueryTimeout } = { hasQueryTimeout: false }) =>
      new Client({ ...config, ...(hasQueryTimeout && { query_timeout: timeoutMs }) }),
    end: () => pool.end(),
  };
}

/** Takes a connection from the pool. A connection that arrives after the deadline is returned to the pool. */
async function connect(pool: Pool, timeoutMs: number): Promise<PoolClient> {
  const connecting = pool.connect();
  try {
    return await beforeDeadline(connecting, "a connection to PostgreSQL", timeoutMs);
  } catch (error) {
    connecting.then((client) => client.release()).catch(() => {});
    throw error;
  }
}

function throwPostgresError(error: unknown): never {
  throw postgresError(error);
}

function connection(
  query: (text: string, values: unknown[]) => Promise<{ readonly rows: readonly SqlRow[] }>,
): Connection {
  const run = async (text: string, values: readonly unknown[] = []) => (await query(text, [...values])).rows;
  return { query: run, run: ({ sql, parameters }) => run(sql, parameters) };
}
