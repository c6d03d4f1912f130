import { createHash } from "node:crypto";
import { Pool, type QueryConfig, type QueryResult } from "pg";
import { RateLimiterMemory, RateLimiterPostgres } from "rate-limiter-flexible";
import { connectionConfig } from "./database.ts";
import { migrationLock } from "./migrations.ts";

/** A limit of requests per period. */
interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** Limits how often something may happen. */
export interface SharedRateLimiter {
  /** Counts one event of a key. Not ok: the key has used up its rate of the current period, which ends after `retryAfterMs`. */
  take(key: string, rate: Rate): Promise<{ readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number }>;
  end(): Promise<void>;
}

const table = "rate";
const connections = 4;
/** Time allowed for the database to count a request, in ms. */
const timeoutMs = 1_000;
/** Time for which requests are counted in this process only, after the database has failed, in ms. */
const pauseMs = 1_000;

/** A rate limiter whose counters are in a database. While the database does not answer, each process limits on its own. */
export function postgresRateLimiter(address: string, schema: string): SharedRateLimiter {
  const counters = openCounters(address, schema);
  const limiters = new Map<string, RateLimiterPostgres>();
  const limiterOf = ({ requests, seconds }: Rate) => {
    const keyPrefix = `${requests}/${seconds}`;
    const limit = { points: requests, duration: seconds };
    const limiter =
      limiters.get(keyPrefix) ??
      new RateLimiterPostgres({
        ...limit,
        storeClient: counters,
        storeType: "client",
        schemaName: schema,
        tableName: table,
        tableCreated: true,
        keyPrefix,
        // A key that has used up its rate is refused from memory.
        inMemoryBlockOnConsumed: requests,
        insuranceLimiter: new RateLimiterMemory(limit),
      });
    limiters.set(keyPrefix, limiter);
    return limiter;
  };
  return {
    async take(key, rate) {
      try {
        await limiterOf(rate).consume(hash(key));
        return { ok: true };
      } catch (rejection) {
        if (rejection instanceof Error) throw rejection;
        return { ok: false, retryAfterMs: (rejection as { readonly msBeforeNext: number }).msBeforeNext };
      }
    },
    end: () => counters.end(),
  };
}

/** Keys name callers, which a database of counters need not know. */
function hash(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}

/** Runs the prepared statements of a limiter. */
interface Counters {
  query(statement: QueryConfig): Promise<QueryResult>;
  end(): Promise<void>;
}

/**
 * The table of counters, with `expire` in ms since 1970. It is created at the first statement, and a crash of the server empties it. After a failure,
 * statements fail at once for a while, so that requests do not wait for a database that does not answer.
 */
function openCounters(address: string, schema: string): Counters {
  const config = { ...connectionConfig({ address, schema, timeoutMs }), query_timeout: timeoutMs };
  const pool = new Pool({ ...config, max: connections, allowExitOnIdle: true });
  // The pool replaces an idle connection that breaks at its next use.
  pool.on("error", () => {});
  let created: Promise<unknown> | undefined;
  let failedAt = -Infinity;
  const create = () =>
    pool.query(`BEGIN; SELECT pg_advisory_xact_lock(${migrationLock});
      CREATE SCHEMA IF NOT EXISTS ${schema};
      CREATE UNLOGGED TABLE IF NOT EXISTS ${schema}.${table} (key text PRIMARY KEY, points integer NOT NULL, expire bigint);
      COMMIT`);
  return {
    async query(statement) {
      if (performance.now() - failedAt < pauseMs) throw new Error("the database did not answer");
      try {
        await (created ??= create());
        return await pool.query({ ...statement });
      } catch (error) {
        created = undefined;
        failedAt = performance.now();
        throw error;
      }
    },
    end: () => pool.end(),
  };
}
