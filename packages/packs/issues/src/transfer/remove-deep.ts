import { dependsOn, type Issue } from "../issue-record.ts";
import type { BadLine, Line } from "./import-line.ts";
import type { Pace } from "./pace.ts";

/** Maximum number of levels of parents. It is limited, because readiness depends on all ancestors. */
const maxLevels = 200;

interface RemoveDeepOptions {
  /** Reads an issue from the store. */
  readonly get: (id: string) => Promise<Issue | undefined>;
  readonly pace: Pace;
}

/**
 * Removes the lines of an import that have too many levels of parents. The lines must have no cycles.
 */
export async function removeDeep(lines: Map<string, Line>, options: RemoveDeepOptions): Promise<readonly BadLine[]> {
  const levels = await countLevels(lines, options);
  const bad: BadLine[] = [];
  for (const { id, line } of lines.values()) {
    if ((levels.get(id) ?? 0) <= maxLevels) continue;
    lines.delete(id);
    bad.push({ line, problem: `dependencies: expected at most ${maxLevels} levels of parents above an issue` });
  }
  return bad;
}

interface Visit {
  readonly id: string;
  readonly parents: readonly string[];
  /** Index of the next parent. */
  at: number;
  /** Levels of the visited parents. */
  levels: number;
}

/** Counts the levels of parents above each issue. Visits each issue once, without recursion, because chains may be long. */
async function countLevels(
  lines: ReadonlyMap<string, Line>,
  { get, pace }: RemoveDeepOptions,
): Promise<ReadonlyMap<string, number>> {
  const levels = new Map<string, number>();
  const visit = async (id: string): Promise<Visit> => {
    const issue = lines.get(id)?.issue ?? (await get(id));
    // Set before the visit, so that a cycle of stored issues ends here.
    levels.set(id, 0);
    return { id, parents: issue === undefined ? [] : dependsOn(issue, "parent-child"), at: 0, levels: 0 };
  };
  for (const start of lines.keys()) {
    const path = levels.has(start) ? [] : [await visit(start)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      await pace();
      const parent = top.parents[top.at];
      if (parent === undefined) {
        levels.set(top.id, top.levels);
        path.pop();
      } else if (levels.has(parent)) {
        top.levels = Math.max(top.levels, (levels.get(parent) ?? 0) + 1);
        top.at += 1;
      } else path.push(await visit(parent));
    }
  }
  return levels;
}
