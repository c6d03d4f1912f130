import type { SearchContext } from "../context.ts";
import { filterContained } from "../filter-contained.ts";
import { comparePaths } from "../paging/compare-paths.ts";
import { openCursor, type Position } from "../paging/cursor.ts";
import { pageEnding } from "../paging/page-ending.ts";
import { createTopItems, cutPage, type FirstItems } from "../paging/top-items.ts";
import { selectionArguments } from "../ripgrep/selection.ts";
import { foundPaths, searchTargets } from "../target.ts";
import type { FilesPage, FilesRequest } from "./files-request.ts";
import { createScore } from "./score.ts";

interface FoundFile {
  readonly path: string;
  readonly score: number;
}

/** Reads a page of files: those that match a fuzzy query, best first, or all, last changed first, one root after the other. */
export async function findFiles(
  request: FilesRequest,
  context: SearchContext,
  signal: AbortSignal,
): Promise<FilesPage> {
  const { limit, cursor, ...searchKey } = request;
  const { path, glob, hidden, ignored, fuzzy } = request;
  const globs = glob === undefined ? [] : [glob];
  const selection = { globs, hidden, ignored };
  const scoreOf = fuzzy === undefined ? () => 0 : await createScore(fuzzy);
  const position = openCursor(searchKey, cursor);
  const maxItems = limit ?? context.list.over;
  const after = position && { path: position.path, score: scoreOf(position.path) ?? 0 };
  const first =
    fuzzy === undefined
      ? createRest(maxItems, position)
      : createTopItems<FoundFile>({ maxItems, after, order: compareScores });
  const order = fuzzy === undefined ? ["--sortr=modified"] : [];
  const args = [...selectionArguments(selection), "--files", "--null", ...order];
  const timedOut = await searchTargets({ path, selection, signal }, context, async (target) => {
    for await (const batch of foundPaths(target, args)) {
      for (const found of batch) {
        const score = scoreOf(found);
        if (score !== undefined) first.add({ path: found, score });
      }
    }
    return true;
  });
  const { items, compacted, last } = cutPage(first, limit, context.list);
  const { total, remaining } = first;
  const next = last && { target: 0, path: last.path, shown: total - remaining + items.length };
  return {
    items: filterContained(context.roots, items).map((found) => ({ path: found.path })),
    ...pageEnding({
      request: { path, globs },
      searchKey,
      total,
      next,
      compacted,
      timedOut,
      timeoutMs: context.timeoutMs,
    }),
  };
}

function compareScores(a: FoundFile, b: FoundFile): number {
  return b.score - a.score || a.path.length - b.path.length || comparePaths(a.path, b.path);
}

/** Keeps the first files after a position, in the order of arrival. */
function createRest(maxItems: number, after: Position | undefined): FirstItems<FoundFile> {
  const kept: FoundFile[] = [];
  let [total, remaining] = [0, 0];
  let hasStarted = after === undefined;
  return {
    add(file) {
      total += 1;
      if (hasStarted) {
        remaining += 1;
        if (kept.length < maxItems) kept.push(file);
      } else {
        // Files that changed since the last page come first now, so the path decides where that page ended, not the count.
        hasStarted = file.path === after?.path || total >= (after?.shown ?? 0);
      }
    },
    sorted: () => kept,
    get total() {
      return total;
    },
    get remaining() {
      return remaining;
    },
  };
}
