import type { Rate } from "./access.ts";

/** Limits how often something may happen. */
export interface RateLimiter {
  /** Counts one event of a key. Not ok: the key has used up its rate of the current period, which ends after `retryAfterMs`. */
  take(key: string, rate: Rate): Promise<RateDecision>;
}

export type RateDecision = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };
