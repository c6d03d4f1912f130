import { isDeepStrictEqual } from "node:util";
import { openAuthenticator } from "../../access/open-authenticator.ts";
import type { Settings } from "../../config/settings.ts";
import { ConfigurationError } from "../../configuration-error.ts";
import { openReplicas } from "../../replicas/replicas.ts";
import { version } from "../../version.ts";
import type { Host } from "../host.ts";
import type { HostContext } from "../hosts.ts";
import { isLoopback } from "../../network-address.ts";
import { httpHost } from "./http-host.ts";
import { storeReadiness } from "./readiness.ts";

/** Opens the HTTP host of the settings, with its authenticator. @throws ConfigurationError for settings that cannot be served */
export async function openHttpHost({ settings, currentStore, log, observability }: HostContext): Promise<Host> {
  const { http, sdk } = settings;
  if (sdk.value === 1) {
    throw new ConfigurationError(`${sdk.origin}: SDK 1 serves stdio only; leave it out with --http`);
  }
  const authenticator = await openAuthenticator(http.value, log);
  if (authenticator === undefined && !isLoopback(http.value.host)) {
    throw new ConfigurationError(
      `--host ${http.value.host}: other machines can reach this address, so callers must be authenticated; ` +
        "name a token file with --tokens, set http.oauth in the config file, or listen on 127.0.0.1",
    );
  }
  const replicas = await openReplicas({ settings, log });
  const host = httpHost({
    settings: http.value,
    version,
    log,
    authenticator,
    observability,
    readiness: storeReadiness(currentStore, log),
    openBus: (scope) => replicas.eventBuses.of(scope),
    interactiveCalls: replicas.interactiveCalls,
    ...(replicas.rateLimiter && { rateLimiter: replicas.rateLimiter }),
    onClose: () => replicas.close(),
  });
  return { ...host, onSettings: (next) => warnOfChange(http, next.http, log) };
}

function warnOfChange(used: Settings["http"], next: Settings["http"], log: HostContext["log"]): void {
  if (isDeepStrictEqual(used.value, next.value)) return;
  log.warn(`${next.origin}: changes of the http block take effect at the next start`);
}
