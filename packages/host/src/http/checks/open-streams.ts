import { isDeepStrictEqual } from "node:util";
import { releaseAtClose, type HttpCheck, type HttpRequest } from "../http-check.ts";
import type { HttpHostOptions } from "../http-host-options.ts";

/** Maximum time that a stream stays open, in ms: the maximum delay of a timer, which is 24 days. */
const maxStreamMs = 2_147_483_647;

type StreamOptions = Pick<HttpHostOptions, "authenticator" | "observability">;

/** Streams that stay open, with the credentials that opened them. A stream ends when its credentials expire or no longer give the same access, at the latest after 24 days. */
export class OpenStreams {
  readonly #streams = new Set<HttpRequest>();
  readonly #options: StreamOptions;
  readonly #unwatch: () => void;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#unwatch = options.authenticator?.watch(() => void this.#recheck()) ?? (() => {});
  }

  /** Follows a request that opens a stream until its response is closed. */
  readonly follow: HttpCheck = (found, next) => {
    if (!found.isSubscription) return next();
    const { response, caller } = found;
    this.#streams.add(found);
    const remainingMs = Math.min((caller.expiresAt ?? Infinity) - Date.now(), maxStreamMs);
    const timer = setTimeout(() => response.end(), remainingMs).unref();
    const uncount = this.#options.observability?.onStream();
    releaseAtClose(response, () => {
      clearTimeout(timer);
      uncount?.();
      this.#streams.delete(found);
    });
    return next();
  };

  close(): void {
    this.#unwatch();
  }

  /** Checks the credentials of all streams again. */
  async #recheck(): Promise<void> {
    await Promise.all(
      [...this.#streams].map(async ({ request, response, caller }) => {
        const now = await this.#options.authenticator?.authenticate(request.headers).catch(() => undefined);
        if (now === undefined || "status" in now || !isDeepStrictEqual(now.principal, caller.principal)) response.end();
      }),
    );
  }
}
