import type { Rate, RateLimiter } from "@toolpacks/access";
import type { HttpCheck } from "../http-check.ts";
import { retryLater } from "../refusal.ts";

/** Counts the requests of a caller before their bodies are read, by the rate of its access and by the rate of the settings, if there is one. */
export function limitRate(rateLimiter: RateLimiter, ofSettings: Rate | undefined): HttpCheck {
  return async ({ caller: { principal } }, next) => {
    const { id, access } = principal;
    const limits = [
      { key: `access:${id}`, rate: access?.rate, source: "the rate of the token" },
      { key: `principal:${id}`, rate: ofSettings, source: "http.rate" },
    ];
    for (const { key, rate, source } of limits) {
      if (rate === undefined) continue;
      const decision = await rateLimiter.take(key, rate);
      if (decision.ok) continue;
      const message = `too many requests: at most ${rateText(rate)} for each caller (${source})`;
      throw retryLater({ status: 429, rule: "rate", message }, decision.retryAfterMs);
    }
    await next();
  };
}

export function rateText({ requests, seconds }: Rate): string {
  return `${requests} in ${seconds} s`;
}
