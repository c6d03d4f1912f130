import type { RateLimiterMemory } from "rate-limiter-flexible";
import type { Rate, RateDecision, RateLimiter } from "@toolpacks/access";

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
