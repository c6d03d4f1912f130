import type { Condition, Filter } from "@toolpacks/core";

/**
 * What may be worked on at a time, as a query of the index that the writing transactions keep: see `readiness`. Few issues have a time,
 * so it is said as an exception: as a range, it would lead databases to walk by time and sort by priority, rather than to walk by
 * priority until the page is full.
 *
 * @param state default: what is open, not what is in progress
 */
export function readyFilter({ now, state = "ready" }: { readonly now: string; readonly state?: Condition }): Filter {
  return { "graph.state": state, not: { "graph.from": { gt: now } } };
}
