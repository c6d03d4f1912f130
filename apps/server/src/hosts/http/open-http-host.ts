import { isDeepStrictEqual } from "node:util";
import type { Settings } from "../../config/settings.ts";
import { ConfigurationError } from "../../configuration-error.ts";
import { version } from "../../version.ts";
import type { Host } from "../host.ts";
import type { HostContext } from "../hosts.ts";
import type { HttpHostOptions } from "./http-host-options.ts";
import { httpHost } from "./http-host.ts";
import { isLoopback } from "./loopback.ts";
import { storeReadiness } from "./readiness.ts";

/** Parts of the HTTP host that other modules make. */
export type HttpHostParts = Pick<
  HttpHostOptions,
  "authenticator" | "rateLimiter" | "openBus" | "metrics" | "onRequest"
>;

/** Makes the HTTP host of the settings. @throws ConfigurationError for settings that cannot be served */
export function openHttpHost({ settings, store, log }: HostContext, parts: HttpHostParts): Host {
  const { http, sdk } = settings;
  if (sdk.value === 1) {
    throw new ConfigurationError(`${sdk.origin}: SDK 1 serves stdio only; leave it out with --http`);
  }
  if (parts.authenticator === undefined && !isLoopback(http.value.host)) {
    throw new ConfigurationError(
      `--host ${http.value.host}: other machines can reach this address, so callers must be authenticated; ` +
        "name a token file with --tokens, set http.oauth in the config file, or listen on 127.0.0.1",
    );
  }
  if (parts.authenticator === undefined && (http.value.tokens ?? http.value.oauth) !== undefined) {
    throw new Error("the settings name how callers are authenticated, but there is no authenticator");
  }
  const host = httpHost({ ...parts, settings: http.value, version, log, readiness: storeReadiness(store, log) });
  return { ...host, onSettings: (next) => warnOfChange(http, next.http, log) };
}

function warnOfChange(used: Settings["http"], next: Settings["http"], log: HostContext["log"]): void {
  if (isDeepStrictEqual(used.value, next.value)) return;
  log.warn(`${next.origin}: changes of the http block take effect at the next start`);
}
