import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Caller } from "./authenticator.ts";

const maxEntries = 1_000;

/** How long a verified token is not verified again, in ms. Short, because a key that the authorization server withdraws stays in use for this time. */
const maxAgeMs = 60_000;

/** Callers by their verified access tokens, since a signature takes much longer to verify than a hash. The cache has the SHA-256 of tokens, not the tokens. */
export class CallerCache {
  readonly #callers = new LRUCache<string, Caller>({ max: maxEntries, perf: Date, ttlResolution: 0 });

  /** The caller of a token that was verified a moment ago and has not expired. */
  find(token: string): Caller | undefined {
    return this.#callers.get(keyOf(token));
  }

  /** Adds a verified token. The least recently used entry makes room. */
  add(token: string, caller: Caller): void {
    const ttl = Math.min(maxAgeMs, (caller.expiresAt ?? Infinity) - Date.now());
    if (ttl > 0) this.#callers.set(keyOf(token), caller, { ttl });
  }
}

function keyOf(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
