import { releaseAtClose, untilFinished, type HttpCheck } from "../http-check.ts";
import { RequestRefusal, retryLater } from "../refusal.ts";

interface CallLimitOptions {
  /** Maximum requests of one principal at the same time. */
  readonly maxCalls: number;
  /** Maximum open streams of one principal. */
  readonly maxStreams: number;
  /** Maximum requests of all principals at the same time. */
  readonly maxTotalCalls: number;
}

/** Delay after which a client may try again, in ms. */
const retryAfterMs = 1_000;

/** Limits the running requests and open streams of each principal, and the running requests of all. */
export class CallLimits {
  readonly #options: CallLimitOptions;
  readonly #calls = new Map<string, number>();
  readonly #streams = new Map<string, number>();
  #total = 0;

  constructor(options: CallLimitOptions) {
    this.#options = options;
  }

  /** Counts a request before its body is read. */
  readonly limitRequest: HttpCheck = (found, next) => {
    untilFinished(found, this.#startCall(found.caller.principal.id));
    return next();
  };

  /** Counts a stream until its response is closed, and no longer as a request. */
  readonly limitStreams: HttpCheck = (found, next) => {
    if (found.isSubscription) {
      found.finish();
      releaseAtClose(found.response, this.#openStream(found.caller.principal.id, found.id));
    }
    return next();
  };

  #startCall(principal: string): () => void {
    const { maxCalls, maxTotalCalls } = this.#options;
    if (this.#total >= maxTotalCalls) {
      const message = `too many requests at the same time: the server runs at most ${maxTotalCalls}`;
      throw retryLater({ status: 503, rule: "total-calls", message }, retryAfterMs);
    }
    if ((this.#calls.get(principal) ?? 0) >= maxCalls) {
      const message = `too many requests at the same time: at most ${maxCalls} for each caller (http.maxCalls)`;
      throw retryLater({ status: 429, rule: "calls", message }, retryAfterMs);
    }
    this.#total += 1;
    add(this.#calls, principal, 1);
    return once(() => {
      this.#total -= 1;
      add(this.#calls, principal, -1);
    });
  }

  #openStream(principal: string, id: string | number | null): () => void {
    const { maxStreams } = this.#options;
    if ((this.#streams.get(principal) ?? 0) >= maxStreams) {
      throw new RequestRefusal({
        status: 429,
        rule: "streams",
        message: `too many open streams: at most ${maxStreams} for each caller (http.maxStreams)`,
        id,
      });
    }
    add(this.#streams, principal, 1);
    return once(() => add(this.#streams, principal, -1));
  }
}

function add(counts: Map<string, number>, key: string, count: number): void {
  const sum = (counts.get(key) ?? 0) + count;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
