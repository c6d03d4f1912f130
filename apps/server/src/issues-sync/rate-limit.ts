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
