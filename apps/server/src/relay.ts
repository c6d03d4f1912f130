import { definedOnly, type Store } from "@toolpacks/core";
import { serverRelay, type ServerRelay } from "@toolpacks/relay/server";
import type { Settings } from "./config/settings.ts";
import type { Log } from "./log.ts";

/**
 * Large results as handles, where a surface may hide tools behind a few. Undefined where that is off, where its tool is denied, and where tools are listed
 * directly. What a read-only server keeps stays in its memory.
 */
export function openRelay(settings: Settings, store: Store, log: Log): ServerRelay | undefined {
  const { relay, deny, facet, surface, readOnly, results } = settings;
  if (relay.value === false || facet.value !== undefined || surface.value === "direct") return undefined;
  if (deny.value.some(isRelay)) return undefined;
  const { value } = relay;
  return serverRelay({
    ...(value !== true && definedOnly(value)),
    ...(!readOnly.value && { store }),
    keepsStructured: results.value !== undefined && results.value !== "text",
    onError: (error) => log.warn(`a large result goes out whole, since it cannot be kept: ${String(error)}`),
  });
}

/** Where either is denied, the whole is off: nobody could look into a value. */
export function isRelay(name: string): boolean {
  return name === "relay" || name === "relay_read";
}
