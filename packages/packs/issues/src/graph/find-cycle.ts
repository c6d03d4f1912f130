import { dependsOn, type Issue } from "../issue-record.ts";

/** What an issue waits for, or stands under: the dependencies that must not lead back to it. */
export function waitsFor(issue: Issue): readonly string[] {
  return [...dependsOn(issue, "blocks"), ...dependsOn(issue, "parent-child")];
}

/**
 * The shortest way from an issue back to itself, over `blocks` and `parent-child`, as ids; undefined when there is none. None of the issues on
 * such a way could ever become ready.
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
      if (next === start) return wayTo(id, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [start];
  for (let id = end; id !== start; id = cameFrom.get(id) ?? start) way.unshift(id);
  return [start, ...way];
}
