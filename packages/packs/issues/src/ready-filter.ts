import type { Condition, Filter } from "@toolpacks/core";

/**
 * The filter for issues that are ready at a time, over the stored result of `readiness`. The time is a `not` condition, because few issues
 * have a `graph.from`. For a range condition, databases would scan the index by time and sort by priority, instead of scanning by priority until the
 * page is full.
 *
 * @param state default `ready`: open issues, without issues in progress
 */
export function readyFilter({ now, state = "ready" }: { readonly now: string; readonly state?: Condition }): Filter {
  return { "graph.state": state, not: { "graph.from": { gt: now } } };
}

/**
 * The filter for issues that are assigned to another caller. It is a range, because an index finds the few issues with an assignee by it. `who` is
 * undefined if the caller's name is unknown.
 */
export function assignedToOthers(who: string | undefined): Filter {
  return { assignee: { gt: "" }, ...(who !== undefined && { not: { assignee: who } }) };
}

/**
 * The filter for issues that are not assigned to another caller. It is a `not` condition, because few issues have an assignee. For an `or`
 * condition, databases would read the index of assignees and sort by priority.
 */
export function availableTo(who: string | undefined): Filter {
  return { not: assignedToOthers(who) };
}
