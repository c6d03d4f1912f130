import { waitsFor } from "../graph/find-cycle.ts";
import type { Issue } from "../issue-record.ts";
import type { BadLine, Line } from "./import-issues.ts";

/**
 * Takes out of an import the lines that would close a cycle among what is there and what comes: of each cycle the last one.
 *
 * @param get what the store has
 */
export async function removeCycles(
  lines: Map<string, Line>,
  get: (id: string) => Promise<Issue | undefined>,
): Promise<readonly BadLine[]> {
  const bad: BadLine[] = [];
  const stored = new Map<string, Promise<Issue | undefined>>();
  const read = async (id: string) => {
    const line = lines.get(id);
    if (line !== undefined) return line.issue;
    const known = stored.get(id) ?? get(id);
    stored.set(id, known);
    return known;
  };
  /** Issues from which no cycle is reached. Taking out a line makes none. */
  const done = new Set<string>();
  for (const start of lines.keys()) {
    for (;;) {
      const cycle = await findCycleFrom(start, { done, get: read });
      if (cycle === undefined) break;
      const onIt = cycle.flatMap((id) => lines.get(id) ?? []);
      const [last] = onIt.sort((a, b) => b.line - a.line);
      // A cycle that is in the store already is not this import's.
      if (last === undefined) return bad;
      lines.delete(last.id);
      bad.push({ line: last.line, problem: `dependencies: a cycle: ${[...cycle, cycle[0]].join(" -> ")}` });
    }
  }
  return bad;
}

interface Visit {
  readonly id: string;
  readonly next: string[];
}

interface Search {
  readonly done: Set<string>;
  readonly get: (id: string) => Promise<Issue | undefined>;
}

/** Looks at every issue once, going deep without recursion: chains may be long. */
async function findCycleFrom(start: string, { done, get }: Search): Promise<readonly string[] | undefined> {
  const path: Visit[] = [];
  const onPath = new Set<string>();
  const enter = async (id: string) => {
    const issue = await get(id);
    path.push({ id, next: issue === undefined ? [] : [...waitsFor(issue)] });
    onPath.add(id);
  };
  if (!done.has(start)) await enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.next.pop();
    if (next === undefined) {
      path.pop();
      onPath.delete(top.id);
      done.add(top.id);
    } else if (onPath.has(next)) {
      const ids = path.map(({ id }) => id);
      return ids.slice(ids.indexOf(next));
    } else if (!done.has(next)) {
      await enter(next);
    }
  }
  return undefined;
}
