import { ToolError } from "@toolpacks/core";
import { waitsFor } from "../graph/find-cycle.ts";
import type { Issue } from "../issue-record.ts";
import type { BadLine, Line } from "./import-line.ts";
import type { Pace } from "./pace.ts";

/** Maximum number of dependencies that a search follows, in the file and in the store. */
const maxFollowed = 5_000_000;
/** Maximum number of a cycle's ids in its error. */
const maxNamed = 10;

interface Visit {
  readonly id: string;
  readonly next: string[];
}

interface RemoveCyclesOptions {
  /** Reads an issue from the store. */
  readonly get: (id: string) => Promise<Issue | undefined>;
  readonly pace: Pace;
}

/**
 * Removes the lines of an import that close a cycle among imported and stored issues. Of each cycle, it removes the line that the depth-first search
 * visits last. It visits each issue once, without recursion, because chains may be long.
 *
 * @throws ToolError `too_large` if there are too many dependencies to search
 */
export async function removeCycles(
  lines: Map<string, Line>,
  { get, pace }: RemoveCyclesOptions,
): Promise<readonly BadLine[]> {
  const bad: BadLine[] = [];
  /** Issues that lead to no cycle. Removing a line creates no cycle. */
  const done = new Set<string>();
  const path: Visit[] = [];
  const levels = new Map<string, number>();
  let followed = 0;

  const enter = async (id: string) => {
    const issue = lines.get(id)?.issue ?? (await get(id));
    levels.set(id, path.length);
    path.push({ id, next: issue === undefined ? [] : [...waitsFor(issue)] });
  };
  const leave = (): string => {
    const { id = "" } = path.pop() ?? {};
    levels.delete(id);
    return id;
  };
  /** Removes a line of a cycle. A cycle of stored issues only is left unchanged. */
  const breakCycle = async (start: number) => {
    const last = path.findLastIndex(({ id }, at) => at >= start && lines.has(id));
    const line = lines.get(path[last]?.id ?? "");
    if (line === undefined) return;
    bad.push({ line: line.line, problem: `dependencies: a cycle: ${nameCycle(path, start)}` });
    lines.delete(line.id);
    while (path.length > last) leave();
    // The store may have an issue with this id, which now stays. Visit it too.
    const above = path.at(-1);
    if (above === undefined) await enter(line.id);
    else above.next.push(line.id);
  };

  for (const start of lines.keys()) {
    if (!done.has(start)) await enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      await pace();
      const next = top.next.pop();
      if (next === undefined) {
        done.add(leave());
        continue;
      }
      followed += 1;
      if (followed > maxFollowed) throw tooManyDependencies();
      const level = levels.get(next);
      if (level !== undefined) await breakCycle(level);
      else if (!done.has(next)) await enter(next);
    }
  }
  return bad;
}

/** Renders the ids of a cycle. A long cycle is cut in the middle. */
function nameCycle(path: readonly Visit[], start: number): string {
  const length = path.length - start;
  const ids = (from: number, to?: number) => path.slice(from, to).map(({ id }) => id);
  const named =
    length <= maxNamed
      ? ids(start)
      : [...ids(start, start + maxNamed / 2), `(${length - maxNamed} more)`, ...ids(path.length - maxNamed / 2)];
  return [...named, path[start]?.id].join(" -> ");
}

function tooManyDependencies(): ToolError {
  return new ToolError(
    "too_large",
    `dependencies: expected at most ${maxFollowed.toLocaleString("en")} in the file and what it depends on`,
    "Import the file in parts.",
  );
}
