import { awaitedIssue, blockingTypes, dependsOn, waitsOf, type Issue } from "../issue-record.ts";
import type { Draft } from "./draft.ts";

/** The blockers and parents of an issue, and what a gate waits for. These must not form a cycle. */
export function waitsFor(issue: Issue): readonly string[] {
  return [...new Set([...dependsOn(issue, ...blockingTypes, "parent-child"), ...[awaitedIssue(issue) ?? []].flat()])];
}

type Issues = Pick<Draft, "get" | "children">;

/**
 * Finds the shortest cycle through an issue over its blockers, its parents and the children that it waits for, as ids; undefined if there is none. An
 * issue in a cycle can never become ready. A wait for any one child closes no cycle, because another child may end it.
 */
export async function findCycle(start: string, issues: Issues): Promise<readonly string[] | undefined> {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const id of queue) {
    const issue = await issues.get(id);
    if (issue === undefined) continue;
    for (const next of [...waitsFor(issue), ...(await awaitedChildren(issue, issues))]) {
      if (next === start) return pathTo(id, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      queue.push(next);
    }
  }
  return undefined;
}

async function awaitedChildren(issue: Issue, issues: Issues): Promise<readonly string[]> {
  const children: string[] = [];
  for (const { on, any } of waitsOf(issue)) {
    if (!any) for await (const child of issues.children(on, "open")) children.push(child);
  }
  return children;
}

function pathTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const path = [start];
  for (let id = end; id !== start; id = cameFrom.get(id) ?? start) path.unshift(id);
  return [start, ...path];
}
