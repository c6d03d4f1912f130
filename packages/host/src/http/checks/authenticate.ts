import { networkOf, type Authenticator, type Rate, type RateLimiter, type Refusal } from "@toolpacks/access";
import type { HttpCheck } from "../http-check.ts";
import { rateText } from "./limit-rate.ts";
import { RequestRefusal, retryLater } from "../refusal.ts";

/** Maximum refused credentials of one network. Further ones are answered with 429. */
const failureRate: Rate = { requests: 60, seconds: 60 };

/** Identifies the caller by the credentials of the request. Without an authenticator, the caller is the local user. */
export function authenticate(authenticator: Authenticator | undefined, rateLimiter: RateLimiter): HttpCheck {
  if (authenticator === undefined) return (_, next) => next();
  return async (found, next) => {
    const { request } = found;
    const answer = await authenticator.authenticate(request.headersDistinct);
    if ("status" in answer) {
      // Correct credentials are accepted from every network: behind a proxy, all callers share one.
      const decision = await rateLimiter.take(`failed:${networkOf(request.socket.remoteAddress)}`, failureRate);
      if (decision.ok) throw refusalOf(answer);
      const message = `too many refused credentials: at most ${rateText(failureRate)} from one network`;
      throw retryLater({ status: 429, rule: "failed-authentication", message }, decision.retryAfterMs);
    }
    found.caller = answer;
    await next();
  };
}

function refusalOf({ status, challenge, retryAfterSeconds, message }: Refusal): RequestRefusal {
  const headers = {
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
  };
  return new RequestRefusal({ status, rule: "authentication", message, headers, isPlain: true });
}
