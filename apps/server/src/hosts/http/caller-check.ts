import type { IncomingMessage } from "node:http";
import type { Rate } from "../../access/access.ts";
import type { Authenticator, Caller } from "../../access/authenticator.ts";
import { localPrincipal } from "../host.ts";
import { networkOf } from "./loopback.ts";
import type { RateLimiter } from "../../access/rate-limiter.ts";
import { RequestRefusal, retryLater } from "./refusal.ts";

export interface CallerCheckOptions {
  /** Undefined: every caller is the local user. */
  readonly authenticator: Authenticator | undefined;
  readonly rateLimiter: RateLimiter;
  /** Rate of every caller. That of its access holds, too. Undefined: no limit. */
  readonly rate: Rate | undefined;
}

const localCaller: Caller = { principal: localPrincipal, auth: undefined };

/** Maximum refused credentials of one network. Further ones are answered with 429. */
const failureRate: Rate = { requests: 60, seconds: 60 };

/** Finds out who sends a request, and limits how often. */
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
  async authenticate({ headersDistinct, socket }: IncomingMessage): Promise<Caller> {
    const { authenticator, rateLimiter } = this.#options;
    if (authenticator === undefined) return localCaller;
    const found = await authenticator.authenticate(headersDistinct);
    if (!("status" in found)) return found;
    // Correct credentials are accepted from every network: behind a proxy, all callers share one.
    const decision = await rateLimiter.take(`failed:${networkOf(socket.remoteAddress)}`, failureRate);
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

  /** Counts the requests of a caller. @throws RequestRefusal with status 429 */
  async checkRate({ principal }: Caller, count = 1): Promise<void> {
    const { rateLimiter } = this.#options;
    // An access can only narrow the settings, so both rates hold. Equal rates have one counter.
    const rates = new Map(
      [this.#options.rate, principal.access?.rate].flatMap((rate) => (rate ? [[rateText(rate), rate]] : [])),
    );
    for (const [text, rate] of rates) {
      for (let taken = 0; taken < count; taken += 1) {
        const decision = await rateLimiter.take(`principal:${principal.id}`, rate);
        if (decision.ok) continue;
        const message = `too many requests: at most ${text} for each caller (http.rate, or the rate of the token)`;
        throw retryLater({ status: 429, rule: "rate", message }, decision.retryAfterMs);
      }
    }
  }
}

function rateText({ requests, seconds }: Rate): string {
  return `${requests} in ${seconds} s`;
}
