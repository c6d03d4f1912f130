import type { ServerEventBus } from "@modelcontextprotocol/server";
import type { InteractiveCalls } from "@toolpacks/surface";
import type { Authenticator } from "../../access/authenticator.ts";
import type { HttpSettings } from "../../config/settings.ts";
import type { Log } from "../../log.ts";
import type { HttpObservability } from "../../observability/observability.ts";
import type { RateLimiter } from "../../access/rate-limiter.ts";
import type { HttpTimeouts } from "./http-server.ts";
import type { Readiness } from "./readiness.ts";

export interface HttpHostOptions {
  readonly settings: HttpSettings;
  readonly version: string;
  readonly log: Log;
  readonly readiness: Readiness;
  /** Undefined: every caller is the local user, so the address must be a loopback address. The host closes it. */
  readonly authenticator: Authenticator | undefined;
  /** Default: a rate limiter of this process. */
  readonly rateLimiter?: RateLimiter;
  /** Creates the bus of a surface's change events. The same surface has the same scope on every replica. Default: a bus of this process. */
  readonly openBus?: (scope: string) => ServerEventBus;
  /** Calls that wait for answers of their users. Default: those of this process. */
  readonly interactiveCalls?: InteractiveCalls;
  /** Counts requests and streams, and has the content of `/metrics`. Undefined: the path does not exist. */
  readonly observability?: HttpObservability | undefined;
  /** Called when no call runs any more, before streams end. */
  readonly onClose?: () => Promise<void>;
  /** Other timeouts, for tests. */
  readonly timeouts?: HttpTimeouts;
}
