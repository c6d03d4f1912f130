import type { Store } from "@toolpacks/core";
import type { Traces } from "@toolpacks/memory";
import { z } from "zod";
import type { Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";
import type { Log } from "./log.ts";

const traceSettings = z.union(
  [z.boolean(), z.strictObject({ keep: z.int().min(0).optional(), days: z.number().min(0).optional() })],
  { error: "expected true, false, or {keep, days}" },
);

/**
 * Opens the traces of calls, if the memory pack is mounted and may write. Undefined when they are off: `packs.memory.traces: false` in the
 * config file, or a read-only server.
 */
export async function openTraces(settings: Settings, store: Store, log: Log): Promise<Traces | undefined> {
  const { packs, deny, facet, readOnly, file } = settings;
  const options = packs["memory"] ?? {};
  if (options === false || deny.value.includes("memory") || readOnly.value) return undefined;
  if (facet.value !== undefined && facet.value !== "memory") return undefined;
  const configured = traceSettings.safeParse(typeof options === "object" ? (options["traces"] ?? true) : true);
  if (!configured.success) {
    throw new ConfigurationError(`${file?.path}: packs.memory.traces: ${configured.error.issues[0]?.message}`);
  }
  if (configured.data === false) return undefined;
  const { keep, days } = configured.data === true ? {} : configured.data;
  const { createTraces } = await import("@toolpacks/memory");
  return createTraces(store, {
    ...(keep !== undefined && { keep }),
    ...(days !== undefined && { days }),
    onError: (error) => log.warn(`traces cannot be written: ${String(error)}`),
  });
}
