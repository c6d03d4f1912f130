import { definedOnly, type Store } from "@toolpacks/core";
import { serverRelay, type ServerRelay } from "@toolpacks/relay/server";
import type { Settings } from "./config/settings.ts";
import type { Log } from "./log.ts";

/**
 * Opens the relay, which replaces large results by handles. Undefined when it is off, when its tool is denied, and on the direct surface. A
 * read-only server keeps the values in memory.
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
    onError: (error) => log.warn(`a large result is sent in full because it cannot be stored: ${String(error)}`),
  });
}

/** Whether a denied name turns the relay off. Without its tool, a model could not read a handle. */
export function isRelay(name: string): boolean {
  return name === "relay" || name === "relay_read";
}
