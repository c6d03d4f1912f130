import type { RateLimiterMemory } from "rate-limiter-flexible";
import type { Rate } from "../../access/access.ts";

/** Limits how often something may happen. */
export interface RateLimiter {
  /** Counts one event of a key. Not ok: the key has used up its rate of the current period, which ends after `retryAfterMs`. */
  take(key: string, rate: Rate): Promise<RateDecision>;
}

export type RateDecision = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };

const allowed: RateDecision = { ok: true };

/** A rate limiter of this process. A key is forgotten at the end of its period. */
export function memoryRateLimiter(): RateLimiter {
  const limiters = new Map<string, RateLimiterMemory>();
  const limiterOf = async ({ requests, seconds }: Rate) => {
    const name = `${requests}/${seconds}`;
    const known = limiters.get(name);
    if (known !== undefined) return known;
    const { RateLimiterMemory } = await import("rate-limiter-flexible");
    const limiter = limiters.get(name) ?? new RateLimiterMemory({ points: requests, duration: seconds });
    limiters.set(name, limiter);
    return limiter;
  };
  return {
    async take(key, rate) {
      const limiter = await limiterOf(rate);
      try {
        await limiter.consume(key);
        return allowed;
      } catch (rejection) {
        if (rejection instanceof Error) throw rejection;
        return { ok: false, retryAfterMs: (rejection as { readonly msBeforeNext: number }).msBeforeNext };
      }
    },
  };
}
