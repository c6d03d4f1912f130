import { filterContained } from "../filter-contained.ts";
import type { SearchContext } from "../context.ts";
import { comparePaths } from "../paging/compare-paths.ts";
import { openCursor } from "../paging/cursor.ts";
import { cutPage } from "../paging/cut-page.ts";
import { createTopItems } from "../paging/top-items.ts";
import { pageEnding } from "../paging/page-ending.ts";
import { untilDeadline } from "../paging/until-deadline.ts";
import { withSearchRun } from "../ripgrep/search-run.ts";
import { countRecords } from "../ripgrep/path-records.ts";
import type { TextPage } from "./text-page.ts";
import type { TextRequest } from "./text-request.ts";
import { eachTarget } from "../target.ts";
import { rejectBinary } from "./reject-binary.ts";
import { searchKeyOf, textArguments } from "./text-arguments.ts";

interface Counted {
  readonly target: number;
  readonly path: string;
  readonly count: number;
}

/** Reads a page of `search_text` in mode `count`: counts everything, and keeps the first files in the order of paths. */
export async function countPage(request: TextRequest, context: SearchContext, signal: AbortSignal): Promise<TextPage> {
  const { roots, timeoutMs, list } = context;
  const searchKey = searchKeyOf(request);
  const position = openCursor(searchKey, request.cursor);
  const after = position && { ...position, count: 0 };
  const first = createTopItems<Counted>({ maxItems: request.limit ?? list.over, after, order: compareFiles });
  const args = [...textArguments(request), "--count", "--with-filename", "--null"];
  let total = 0;
  const timedOut = await untilDeadline({ timeoutMs, signal }, (deadline) =>
    withSearchRun(request, deadline, (run) =>
      eachTarget(roots, request.path, async (target) => {
        await rejectBinary(target, deadline);
        for await (const batch of countRecords(run.run(target, args))) {
          for (const { path, count } of batch) {
            if (!run.admits(target, path)) continue;
            total += count;
            first.add({ target: target.index, path: target.show(path), count });
          }
        }
        return true;
      }),
    ),
  );
  const { total: files, remaining } = first;
  const { items, compacted, last } = cutPage(first.sorted(), { remaining, limit: request.limit, list });
  const next = last && { target: last.target, path: last.path, shown: 1 };
  return {
    items: filterContained(roots, items).map(({ path, count }) => ({ path, count })),
    total,
    files,
    ...pageEnding({ searchKey, next, compacted, timedOut, timeoutMs }),
  };
}

function compareFiles(a: Counted, b: Counted): number {
  return a.target - b.target || comparePaths(a.path, b.path);
}
