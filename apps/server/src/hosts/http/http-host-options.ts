import type { ServerEventBus } from "@modelcontextprotocol/server";
import type { Authenticator } from "../../access/authenticator.ts";
import type { HttpSettings } from "../../config/settings.ts";
import type { Log } from "../../log.ts";
import type { HttpTimeouts } from "./http-server.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { Readiness } from "./readiness.ts";
import type { Metrics } from "./service-paths.ts";

export interface HttpHostOptions {
  readonly settings: HttpSettings;
  readonly version: string;
  readonly log: Log;
  readonly readiness: Readiness;
  /** Undefined: every caller is the local user, so the address must be a loopback address. The host closes it. */
  readonly authenticator: Authenticator | undefined;
  /** Default: a rate limiter of this process. */
  readonly rateLimiter?: RateLimiter;
  /** Creates the bus of a surface's change events. The same access has the same scope on every replica. Default: a bus of this process. */
  readonly openBus?: (scope: string) => ServerEventBus;
  /** The content of `/metrics`. Absent: the path does not exist. */
  readonly metrics?: Metrics;
  /** Gets each request when its response has been sent or its client has left. */
  readonly onRequest?: (request: FinishedRequest) => void;
  /** Other timeouts, for tests. */
  readonly timeouts?: HttpTimeouts;
}

/** A request with its response, for metrics. */
export interface FinishedRequest {
  readonly status: number;
  readonly ms: number;
  /** Name of the guard's rule that refused the request. */
  readonly rule: string | undefined;
}
