import { ConfigurationError } from "@toolpacks/core";
import { z } from "zod";
import type { Settings } from "../config/settings.ts";

/** The schema of `packs.memory.traces`. */
export const traceSettings = () =>
  z.union(
    [
      z.boolean(),
      z.strictObject({
        keep: z.int().min(0).optional().describe("maximum number of records; default 10000"),
        days: z.number().min(0).optional().describe("maximum age in days; default 30"),
      }),
    ],
    { error: "expected true, false, or {keep, days}" },
  );

/** How traces of calls are kept. False: none are recorded. */
export type TraceSettings = false | { readonly keep?: number | undefined; readonly days?: number | undefined };

/**
 * Reads `packs.memory.traces`. Traces are off if the memory pack is denied or another facet is the only one, and on a
 * read-only server.
 *
 * @throws ConfigurationError
 */
export function readTraceSettings({ packs, deny, facet, readOnly, file }: Settings): TraceSettings {
  if (deny.value.includes("memory") || readOnly.value) return false;
  if (facet.value !== undefined && facet.value !== "memory") return false;
  const options = packs["memory"];
  const traces = typeof options === "object" ? options["traces"] : undefined;
  if (traces === undefined) return {};
  const configured = traceSettings().safeParse(traces);
  if (!configured.success) {
    throw new ConfigurationError(`${file?.path}: packs.memory.traces: ${configured.error.issues[0]?.message}`);
  }
  return configured.data === true ? {} : configured.data;
}
