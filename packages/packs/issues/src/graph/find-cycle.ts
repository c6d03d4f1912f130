import { dependsOn, type Issue } from "../issue-record.ts";

/** The blockers and parents of an issue. These dependencies must not form a cycle. */
export function waitsFor(issue: Issue): readonly string[] {
  return [...dependsOn(issue, "blocks"), ...dependsOn(issue, "parent-child")];
}

/**
 * Finds the shortest cycle through an issue over `blocks` and `parent-child`, as ids; undefined if there is none. An issue in a cycle can never become
 * ready.
 */
export async function findCycle(
  start: string,
  get: (id: string) => Promise<Issue | undefined>,
): Promise<readonly string[] | undefined> {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const id of queue) {
    const issue = await get(id);
    if (issue === undefined) continue;
    for (const next of waitsFor(issue)) {
      if (next === start) return pathTo(id, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const path = [start];
  for (let id = end; id !== start; id = cameFrom.get(id) ?? start) path.unshift(id);
  return [start, ...path];
}
