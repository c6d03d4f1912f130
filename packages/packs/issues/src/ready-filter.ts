import type { Filter } from "@toolpacks/core";

/**
 * What may be worked on at a time, as a query of the one index that the writing transactions keep: see `readiness`.
 *
 * @param working whether what is in progress counts too
 */
export function readyFilter({ now, working = false }: { readonly now: string; readonly working?: boolean }): Filter {
  return { "graph.state": working ? { in: ["ready", "working"] } : "ready", "graph.from": { lte: now } };
}
