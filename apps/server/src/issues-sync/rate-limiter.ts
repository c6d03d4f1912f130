import { setTimeout as sleep } from "node:timers/promises";
import { rateLimitOf } from "./rate-limit.ts";
import { TrackerError } from "./tracker-error.ts";

export interface RateLimiterOptions {
  /** Maximum time that all waits for a rate limit take together, in ms. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** Called before each wait. */
  readonly onWait: (ms: number) => void;
}

/** The first wait for a limit that does not say how long it holds, in ms. Each further one is twice as long. */
const firstWaitMs = 1_000;
/** Added to a named wait, because both clocks are rounded, in ms. */
const marginMs = 100;

/**
 * Returns a function that repeats a call which a rate limit refused, after the time that the error names.
 *
 * @throws TrackerError `limited` when the waits would take longer than allowed
 */
export function createRateLimiter({ maxWaitMs, signal, onWait }: RateLimiterOptions) {
  let leftMs = maxWaitMs;
  return async <T>(call: () => Promise<T>): Promise<T> => {
    for (let unnamedMs = firstWaitMs; ; unnamedMs *= 2) {
      try {
        return await call();
      } catch (error) {
        const limit = error instanceof TrackerError ? rateLimitOf(error.message) : undefined;
        if (limit === undefined || !(error instanceof Error)) throw error;
        const ms = limit.waitMs === undefined ? unnamedMs : limit.waitMs + marginMs;
        if (ms > leftMs) throw new TrackerError("limited", error.message);
        leftMs -= ms;
        onWait(ms);
        await sleep(ms, undefined, { signal });
      }
    }
  };
}
