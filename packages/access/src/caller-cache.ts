import { createHash } from "node:crypto";
import type { Caller } from "./authenticator.ts";

/** Maximum number of callers in the cache. */
const maxEntries = 1_000;

/** How long a verified token is not verified again, in ms. Short, because a key that the authorization server withdraws stays in use for this time. */
const maxAgeMs = 60_000;

interface Entry {
  readonly caller: Caller;
  /** In ms since 1970. */
  readonly until: number;
}

/**
 * Callers by their verified access tokens, since a signature takes much longer to verify than a hash. The cache has the SHA-256 of tokens, not the
 * tokens. Time is in ms since 1970.
 */
export class CallerCache {
  readonly #entries = new Map<string, Entry>();

  /** The caller of a token that was verified a moment ago and has not expired. */
  find(token: string, now = Date.now()): Caller | undefined {
    const key = keyOf(token);
    const entry = this.#entries.get(key);
    if (entry === undefined || now < entry.until) return entry?.caller;
    this.#entries.delete(key);
    return undefined;
  }

  /** Adds a verified token. The oldest entry makes room. */
  add(token: string, caller: Caller, now = Date.now()): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= maxEntries) this.#entries.delete(oldest);
    this.#entries.set(keyOf(token), { caller, until: Math.min(now + maxAgeMs, caller.expiresAt ?? Infinity) });
  }
}

function keyOf(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
