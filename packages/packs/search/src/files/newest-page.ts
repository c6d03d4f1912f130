import { filterContained } from "../filter-contained.ts";
import type { SearchContext } from "../context.ts";
import { openCursor, type Position } from "../paging/cursor.ts";
import { cutPage } from "../paging/cut-page.ts";
import { untilDeadline } from "../paging/until-deadline.ts";
import { pageEnding } from "../paging/page-ending.ts";
import { pathRecords } from "../ripgrep/path-records.ts";
import { withSearchRun } from "../ripgrep/search-run.ts";
import type { FilesPage } from "./files-page.ts";
import type { FilesRequest } from "./files-request.ts";
import { eachTarget } from "../target.ts";
import { searchKeyOf, fileArguments, selectionOf } from "./file-arguments.ts";

/** Reads a page of files, last changed first. Several roots are listed one after the other. */
export async function newestPage(
  request: FilesRequest,
  { roots, timeoutMs, list }: SearchContext,
  signal: AbortSignal,
): Promise<FilesPage> {
  const searchKey = searchKeyOf(request);
  const first = createRest(request.limit ?? list.over, openCursor(searchKey, request.cursor));
  const args = [...fileArguments(request), "--sortr=modified"];
  const timedOut = await untilDeadline({ timeoutMs, signal }, (deadline) =>
    withSearchRun(selectionOf(request), deadline, (run) =>
      eachTarget(roots, request.path, async (target) => {
        for await (const batch of pathRecords(run.run(target, args))) {
          for (const { path } of batch) if (run.admits(target, path)) first.add(target.show(path));
        }
        return true;
      }),
    ),
  );
  const { total, remaining } = first;
  const { items, compacted, last } = cutPage(first.kept, { remaining, limit: request.limit, list });
  const shown = total - remaining + items.length;
  const next = last === undefined ? undefined : { target: 0, path: last, shown };
  const found = items.map((path) => ({ path }));
  return {
    items: filterContained(roots, found),
    total,
    ...pageEnding({ searchKey, next, compacted, timedOut, timeoutMs }),
  };
}

/** Keeps the first paths after a position, in the order of arrival, and counts the others. */
function createRest(maxItems: number, after: Position | undefined) {
  const kept: string[] = [];
  let [total, remaining] = [0, 0];
  let hasStarted = after === undefined;
  return {
    kept,
    add(path: string) {
      total += 1;
      if (hasStarted) {
        remaining += 1;
        if (kept.length < maxItems) kept.push(path);
      } else {
        // Files that changed since the last page come first now, so the path decides where that page ended, not the count.
        hasStarted = path === after?.path || total >= (after?.shown ?? 0);
      }
    },
    get total() {
      return total;
    },
    get remaining() {
      return remaining;
    },
  };
}
