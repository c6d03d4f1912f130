import type { Caller, Rate, RateLimiter } from "@toolpacks/access";
import type { HttpCheck } from "./http-check.ts";
import { retryLater } from "./refusal.ts";

interface RateOptions {
  readonly rateLimiter: RateLimiter;
  /** The rate of the settings. Undefined: no limit. */
  readonly rate: Rate | undefined;
}

/** Counts a request before its body is read. */
export function limitRate(options: RateOptions): HttpCheck {
  return async ({ caller }, next) => {
    await takeRate(caller, 1, options);
    await next();
  };
}

/** Counts the other messages of a batch. */
export function limitBatchRate(options: RateOptions): HttpCheck {
  return async ({ caller, messages }, next) => {
    await takeRate(caller, messages.count - 1, options);
    await next();
  };
}

/** Counts the requests of a caller, by the rate of its access and by the rate of the settings. @throws RequestRefusal with status 429 */
async function takeRate({ principal: { id, access } }: Caller, count: number, options: RateOptions): Promise<void> {
  const sources = [
    { key: `access:${id}`, rate: access?.rate, source: "the rate of the token" },
    { key: `principal:${id}`, rate: options.rate, source: "http.rate" },
  ];
  for (const { key, rate, source } of sources) {
    if (rate === undefined) continue;
    for (let taken = 0; taken < count; taken += 1) {
      const decision = await options.rateLimiter.take(key, rate);
      if (decision.ok) continue;
      const message = `too many requests: at most ${rateText(rate)} for each caller (${source})`;
      throw retryLater({ status: 429, rule: "rate", message }, decision.retryAfterMs);
    }
  }
}

export function rateText({ requests, seconds }: Rate): string {
  return `${requests} in ${seconds} s`;
}
