import { createHash } from "node:crypto";
import { RateLimiterMemory, RateLimiterPostgres } from "rate-limiter-flexible";
import { openCounterTable, type CounterTable } from "./counter-table.ts";

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
/** Time allowed for the database to count a request, in ms. */
const timeoutMs = 1_000;
/** Time for which requests are counted in this process only, after the database has failed, in ms. */
const pauseMs = 1_000;

/** A rate limiter whose counters are in a database. While the database does not answer, each process limits on its own. */
export function postgresRateLimiter(address: string, schema: string): SharedRateLimiter {
  const counters = openCounterTable({ address, schema, table, timeoutMs });
  const client = failFast(counters);
  const limiters = new Map<string, RateLimiterPostgres>();
  const limiterOf = ({ requests, seconds }: Rate) => {
    const keyPrefix = `${requests}/${seconds}`;
    const limit = { points: requests, duration: seconds };
    const limiter =
      limiters.get(keyPrefix) ??
      new RateLimiterPostgres({
        ...limit,
        storeClient: client,
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

/** After a failure, statements fail at once for a while, so that requests do not wait for a database that does not answer. */
function failFast(counters: CounterTable): Pick<CounterTable, "query"> {
  let failedAt = -Infinity;
  return {
    async query(statement) {
      if (performance.now() - failedAt < pauseMs) throw new Error("the database did not answer");
      try {
        return await counters.query(statement);
      } catch (error) {
        failedAt = performance.now();
        throw error;
      }
    },
  };
}
