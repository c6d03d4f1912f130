import { isDeepStrictEqual } from "node:util";
import { isLoopback, openAuthenticator } from "@toolpacks/access";
import { ConfigurationError } from "@toolpacks/core";
import { serveHttp, storeReadiness } from "@toolpacks/host";
import { openReplicas } from "@toolpacks/replicas";
import type { Settings } from "../config/settings.ts";
import { storeDriver } from "../stores/open-store.ts";
import { version } from "../version.ts";
import type { Host, HostContext } from "./hosts.ts";
import { startupLine } from "./startup-line.ts";

/** Opens the HTTP host of the settings, with its authenticator. @throws ConfigurationError for settings that cannot be served */
export async function openHttpHost({ settings, currentStore, log, observability }: HostContext): Promise<Host> {
  const { http } = settings;
  const { host } = http.value;
  const authenticator = await openAuthenticator(http.value, log);
  if (authenticator === undefined && !isLoopback(host)) {
    throw new ConfigurationError(
      `--host ${host}: other machines can reach this address, so callers must be authenticated; ` +
        "name a token file with --tokens, set http.oauth in the config file, or listen on 127.0.0.1",
    );
  }
  return {
    hasOneClient: false,
    onSettings: (next) => warnOfChange(http, next.http, log),
    async start(surfaceFor) {
      const shared = await openSharedParts(settings, log);
      const running = await serveHttp(surfaceFor, {
        settings: http.value,
        info: { name: "toolpacks", version },
        log,
        authenticator,
        observability,
        readiness: storeReadiness(currentStore, log),
        openBus: shared.bus,
        rateLimiter: shared.rateLimiter,
      });
      log.info(startupLine(running.url, { settings: http.value, isAuthenticated: authenticator !== undefined }));
      let closing: Promise<void> | undefined;
      return { ...running, close: () => (closing ??= running.close().then(() => shared.close())) };
    },
  };
}

/** What all servers of a shared store have together. A store of one server has none of it. */
async function openSharedParts({ store: setting }: Pick<Settings, "store">, log: HostContext["log"]) {
  const driver = storeDriver(setting);
  const store = await driver.openExchange?.(setting.value);
  const rateLimiter = await driver.openRateLimiter?.(setting.value);
  const replicas = store && (await openReplicas(store, log));
  return {
    bus: replicas?.bus,
    rateLimiter,
    async close() {
      replicas?.close();
      await rateLimiter?.end();
      await store?.end().catch((error: unknown) => log.debug(`the store of the replicas: ${String(error)}`));
    },
  };
}

function warnOfChange(used: Settings["http"], next: Settings["http"], log: HostContext["log"]): void {
  if (isDeepStrictEqual(used.value, next.value)) return;
  log.warn(`${next.origin}: changes of the http block take effect at the next start`);
}
