import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { isDeepStrictEqual } from "node:util";
import type { Caller } from "@toolpacks/access";

interface OpenStream {
  readonly response: ServerResponse;
  readonly caller: Caller;
  /** The headers with the credentials. */
  readonly headers: IncomingHttpHeaders;
}

/** Maximum delay of a timer, in ms. */
const maxTimerMs = 2_147_483_647;

/** Streams that stay open, with the credentials that opened them. A stream ends when its credentials expire, or no longer give the same access. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #callerOf: (headers: IncomingHttpHeaders) => Promise<Caller | undefined>;

  constructor(callerOf: (headers: IncomingHttpHeaders) => Promise<Caller | undefined>) {
    this.#callerOf = callerOf;
  }

  get count(): number {
    return this.#streams.size;
  }

  add(stream: OpenStream): void {
    const { response, caller } = stream;
    this.#streams.add(stream);
    const stopTimer = atTime(caller.expiresAt, () => response.end());
    response.once("close", () => {
      stopTimer();
      this.#streams.delete(stream);
    });
  }

  /** Checks the credentials of all streams again. */
  async recheck(): Promise<void> {
    await Promise.all(
      [...this.#streams].map(async ({ response, caller, headers }) => {
        const now = await this.#callerOf(headers).catch(() => undefined);
        if (now === undefined || !isDeepStrictEqual(now.principal, caller.principal)) response.end();
      }),
    );
  }

  /** Ends the streams that are still open. */
  endAll(): void {
    for (const { response } of this.#streams) response.end();
  }
}

/** Calls back at a time in ms since 1970. Undefined: never. Returns a function that stops it. */
function atTime(time: number | undefined, work: () => void): () => void {
  if (time === undefined) return () => {};
  let timer: NodeJS.Timeout;
  const wait = () => {
    const remainingMs = time - Date.now();
    if (remainingMs <= 0) return work();
    timer = setTimeout(wait, Math.min(remainingMs, maxTimerMs)).unref();
  };
  timer = setTimeout(wait, 0).unref();
  return () => clearTimeout(timer);
}
