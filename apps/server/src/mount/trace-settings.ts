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

type Traces = z.output<ReturnType<typeof traceSettings>>;

/**
 * How traces of calls are kept; false: none are recorded. Traces are off if the memory pack is denied or another facet is the only one, and on a
 * read-only server. The options of packs are validated when a pack is created.
 */
export function readTraceSettings({ packs, deny, facet, readOnly }: Settings): Exclude<Traces, true> {
  if (deny.value.includes("memory") || readOnly.value) return false;
  if (facet.value !== undefined && facet.value !== "memory") return false;
  const options = packs["memory"];
  const { traces = true } = (typeof options === "object" ? options : {}) as { readonly traces?: Traces };
  return traces === true ? {} : traces;
}
