import { setTimeout as sleep } from "node:timers/promises";

/** Why a call of a tracker's tool failed. */
export class TrackerError extends Error {
  override readonly name = "TrackerError";
  /** `limited`: the tracker takes no more calls for now. `refused`: nothing was done. `answered`: the tool says that it failed. `unknown`: there was no answer. */
  readonly effect: "limited" | "refused" | "answered" | "unknown";

  constructor(effect: TrackerError["effect"], message: string) {
    super(message);
    this.effect = effect;
  }
}

export interface RateLimiterOptions {
  /** Maximum time that all waits for a rate limit take together, in ms. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** Called before each wait. */
  readonly onWait: (ms: number) => unknown;
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
        await onWait(ms);
        await sleep(ms, undefined, { signal });
      }
    }
  };
}

const limited = /rate.?limit|too many requests|\b(?:http|status|code|error)[ :]*429\b|abuse detection|quota exceeded/i;

/** `retry after 30`, `Retry-After: 30`, `reset in 1m30s`, `try again in 2 minutes`. A number without a unit is seconds. */
const wait =
  /(?:retry|try again|reset)[\w -]*?(?:after|in)[^\d\n]{0,10}((?:\d+(?:\.\d+)?\s*(?:ms|hours?|minutes?|mins?|seconds?|secs?|[hms])?\s*)+)/i;
const part = /(\d+(?:\.\d+)?)\s*(ms|h|m|s)?/gi;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The rate limit that an error names. Undefined: the error is about something else. */
export function rateLimitOf(text: string): { readonly waitMs: number | undefined } | undefined {
  if (!limited.test(text)) return undefined;
  const found = wait.exec(text)?.[1];
  if (found === undefined) return { waitMs: undefined };
  const parts = [...found.matchAll(part)].map(
    ([, count, unit = "s"]) => Number(count) * (unitMs[unit.toLowerCase()] ?? 0),
  );
  return { waitMs: parts.reduce((sum, ms) => sum + ms, 0) };
}
