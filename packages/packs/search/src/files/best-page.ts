import { filterContained } from "../filter-contained.ts";
import type { SearchContext } from "../context.ts";
import { comparePaths } from "../paging/compare-paths.ts";
import { openCursor } from "../paging/cursor.ts";
import { cutPage } from "../paging/cut-page.ts";
import { createTopItems } from "../paging/top-items.ts";
import { pageEnding } from "../paging/page-ending.ts";
import { untilDeadline } from "../paging/until-deadline.ts";
import { pathRecords } from "../ripgrep/path-records.ts";
import { withSearchRun } from "../ripgrep/search-run.ts";
import type { FilesPage } from "./files-page.ts";
import type { FilesRequest } from "./files-request.ts";
import { eachTarget } from "../target.ts";
import { searchKeyOf, fileArguments, selectionOf } from "./file-arguments.ts";
import { createScore } from "./score.ts";

interface Scored {
  readonly path: string;
  readonly score: number;
}

/** Reads a page of files whose paths match a fuzzy query, best first. */
export async function bestPage(
  request: FilesRequest,
  { roots, timeoutMs, list }: SearchContext,
  signal: AbortSignal,
): Promise<FilesPage> {
  const searchKey = searchKeyOf(request);
  const scoreOf = await createScore(request.fuzzy ?? "");
  const position = openCursor(searchKey, request.cursor);
  const after = position && { path: position.path, score: scoreOf(position.path) ?? 0 };
  const first = createTopItems<Scored>({ maxItems: request.limit ?? list.over, after, order: compareScores });
  const args = fileArguments(request);
  const timedOut = await untilDeadline({ timeoutMs, signal }, (deadline) =>
    withSearchRun(selectionOf(request), deadline, (run) =>
      eachTarget(roots, request.path, async (target) => {
        for await (const batch of pathRecords(run.run(target, args))) {
          for (const { path } of batch) {
            const shown = target.show(path);
            const score = scoreOf(shown);
            if (score !== undefined && run.admits(target, path)) first.add({ path: shown, score });
          }
        }
        return true;
      }),
    ),
  );
  const { total, remaining } = first;
  const { items, compacted, last } = cutPage(first.sorted(), { remaining, limit: request.limit, list });
  const next = last && { target: 0, path: last.path, shown: 1 };
  return {
    items: filterContained(roots, items).map(({ path }) => ({ path })),
    total,
    ...pageEnding({ searchKey, next, compacted, timedOut, timeoutMs }),
  };
}

/** Compares by score, then by length of the path. */
function compareScores(a: Scored, b: Scored): number {
  return b.score - a.score || a.path.length - b.path.length || comparePaths(a.path, b.path);
}
