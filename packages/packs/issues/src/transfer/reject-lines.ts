import { type Pace } from "@toolpacks/core";
import { waitsFor } from "../graph/find-cycle.ts";
import { dependsOn, type Issue } from "../issue-record.ts";
import type { BadLine, Line } from "./issue-line.ts";

/** Maximum number of levels of parents. It is limited, because readiness depends on all ancestors. */
const maxLevels = 200;
/** Maximum number of a cycle's ids in its error. */
const maxNamed = 10;

interface RejectLinesOptions {
  /** Reads an issue from the store. */
  readonly get: (id: string) => Promise<Issue | undefined>;
  readonly pace: Pace;
}

/**
 * Removes the lines of an import that close a cycle among imported and stored issues, and those with too many levels of parents. Of each cycle, it
 * removes the line that the depth-first search visits last. It visits each issue once.
 */
export async function rejectLines(
  lines: Map<string, Line>,
  { get, pace }: RejectLinesOptions,
): Promise<readonly BadLine[]> {
  const bad: BadLine[] = [];
  /** Number of levels of parents above each issue that was visited. */
  const levels = new Map<string, number>();
  const path = new Set<string>();

  /** Resolves to a cycle that a stored issue closes: the line that leads to this issue is removed. */
  const visit = async (id: string): Promise<string | undefined> => {
    // Chains may be long: after this wait, a visit does not use the stack of the visit that called it.
    await pace();
    const line = lines.get(id);
    const issue = line?.issue ?? (await get(id));
    path.add(id);
    const cycle = issue && (await visitNext(issue));
    path.delete(id);
    if (cycle === undefined) {
      const parents = issue === undefined ? [] : dependsOn(issue, "parent-child");
      levels.set(id, Math.max(0, ...parents.map((parent) => (levels.get(parent) ?? 0) + 1)));
      return undefined;
    }
    if (line === undefined) return cycle;
    bad.push({ line: line.line, problem: `dependencies: a cycle: ${cycle}` });
    lines.delete(id);
    // The store may have an issue with this id, which now stays.
    return visit(id);
  };
  const visitNext = async (issue: Issue): Promise<string | undefined> => {
    for (const next of waitsFor(issue)) {
      if (levels.has(next)) continue;
      const cycle = path.has(next) ? nameCycle([...path], next) : await visit(next);
      if (cycle !== undefined) return cycle;
    }
    return undefined;
  };

  for (const id of lines.keys()) if (!levels.has(id)) await visit(id);
  for (const { id, line } of lines.values()) {
    if ((levels.get(id) ?? 0) <= maxLevels) continue;
    lines.delete(id);
    bad.push({ line, problem: `dependencies: expected at most ${maxLevels} levels of parents above an issue` });
  }
  return bad;
}

/** Renders the cycle at the end of a path. A long one is cut in the middle. */
function nameCycle(path: readonly string[], start: string): string {
  const cycle = path.slice(path.indexOf(start));
  const half = maxNamed / 2;
  const omitted = cycle.length - maxNamed;
  const named = omitted <= 0 ? cycle : [...cycle.slice(0, half), `(${omitted} more)`, ...cycle.slice(-half)];
  return [...named, start].join(" -> ");
}
