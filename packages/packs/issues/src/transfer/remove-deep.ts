import { dependsOn, type Issue } from "../issue-record.ts";
import type { BadLine, Line } from "./import-line.ts";
import type { Pace } from "./pace.ts";

/** An issue's readiness depends on all its ancestors, so how many there are above each other is bounded. */
const maxLevels = 200;

interface RemoveDeepOptions {
  /** What the store has. */
  readonly get: (id: string) => Promise<Issue | undefined>;
  readonly pace: Pace;
}

/**
 * Takes out of an import the lines whose parents are nested too deep, with everything below them. There must be no cycles among the
 * lines any more.
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
  /** Which of the parents comes next. */
  at: number;
  /** Of the parents so far. */
  levels: number;
}

/** How many levels of parents each issue has above it. Visits each once, without recursion: chains may be long. */
async function countLevels(
  lines: ReadonlyMap<string, Line>,
  { get, pace }: RemoveDeepOptions,
): Promise<ReadonlyMap<string, number>> {
  const levels = new Map<string, number>();
  const visit = async (id: string): Promise<Visit> => {
    const issue = lines.get(id)?.issue ?? (await get(id));
    // For as long as an issue is visited; so a cycle that is in the store already ends here.
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
