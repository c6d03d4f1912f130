import type { IncomingMessage } from "node:http";
import { type Authenticator, type Caller, networkOf, type Rate, type RateLimiter } from "@toolpacks/access";
import { localPrincipal } from "../served-surface.ts";
import { RequestRefusal, retryLater } from "./refusal.ts";

export interface CallerCheckOptions {
  /** Undefined: every caller is the local user. */
  readonly authenticator: Authenticator | undefined;
  readonly rateLimiter: RateLimiter;
  /** Maximum rate of every caller. An access may name a lower one. Undefined: no limit. */
  readonly rate: Rate | undefined;
}

const localCaller: Caller = { principal: localPrincipal, auth: undefined };

/** Maximum refused credentials of one network. Further ones are answered with 429. */
const failureRate: Rate = { requests: 60, seconds: 60 };

/** Identifies the caller of a request, and limits the rate of its requests. */
export class CallerCheck {
  readonly #options: CallerCheckOptions;

  constructor(options: CallerCheckOptions) {
    this.#options = options;
  }

  /** The caller with these headers. Undefined: they are refused. */
  async callerOf(headers: NodeJS.Dict<string | string[]>): Promise<Caller | undefined> {
    const { authenticator } = this.#options;
    if (authenticator === undefined) return localCaller;
    const found = await authenticator.authenticate(headers);
    return "status" in found ? undefined : found;
  }

  /** @throws RequestRefusal with the status of the refusal, or 429 after too many of them */
  async authenticate(request: IncomingMessage): Promise<Caller> {
    const { authenticator, rateLimiter } = this.#options;
    if (authenticator === undefined) return localCaller;
    const found = await authenticator.authenticate(request.headersDistinct);
    if (!("status" in found)) return found;
    // Correct credentials are accepted from every network: behind a proxy, all callers share one.
    const decision = await rateLimiter.take(`failed:${networkOf(request.socket.remoteAddress)}`, failureRate);
    if (!decision.ok) {
      const message = `too many refused credentials: at most ${rateText(failureRate)} from one network`;
      throw retryLater({ status: 429, rule: "failed-authentication", message }, decision.retryAfterMs);
    }
    const { status, challenge, retryAfterSeconds, message } = found;
    const headers = {
      ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
      ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    };
    throw new RequestRefusal({ status, rule: "authentication", message, headers, isPlain: true });
  }

  /** Counts the requests of a caller, by the rate of its access and by the rate of the settings. @throws RequestRefusal with status 429 */
  async checkRate({ principal: { id, access } }: Caller, count = 1): Promise<void> {
    await this.#take(`access:${id}`, { rate: access?.rate, source: "the rate of the token", count });
    await this.#take(`principal:${id}`, { rate: this.#options.rate, source: "http.rate", count });
  }

  async #take(key: string, { rate, source, count }: RateUse): Promise<void> {
    if (rate === undefined) return;
    for (let taken = 0; taken < count; taken += 1) {
      const decision = await this.#options.rateLimiter.take(key, rate);
      if (decision.ok) continue;
      const message = `too many requests: at most ${rateText(rate)} for each caller (${source})`;
      throw retryLater({ status: 429, rule: "rate", message }, decision.retryAfterMs);
    }
  }
}

interface RateUse {
  /** Undefined: no limit. */
  readonly rate: Rate | undefined;
  /** Where the rate is set. */
  readonly source: string;
  /** Number of requests. */
  readonly count: number;
}

function rateText({ requests, seconds }: Rate): string {
  return `${requests} in ${seconds} s`;
}
