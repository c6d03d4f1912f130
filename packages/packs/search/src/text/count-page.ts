import { filterContained } from "../filter-contained.ts";
import type { SearchContext } from "../context.ts";
import { comparePaths } from "../paging/compare-paths.ts";
import { openCursor } from "../paging/cursor.ts";
import { createTopItems, cutPage } from "../paging/top-items.ts";
import { pageEnding } from "../paging/page-ending.ts";
import { countRecords } from "../ripgrep/path-records.ts";
import type { TextPage } from "./text-page.ts";
import { searchKeyOf, textArguments, type TextRequest } from "./text-request.ts";
import { searchTargets } from "../target.ts";
import { rejectBinary } from "./reject-binary.ts";

interface Counted {
  readonly target: number;
  readonly path: string;
  readonly count: number;
}

/** Reads a page of `search_text` in mode `count`: counts everything, and keeps the files with the most hits. */
export async function countPage(request: TextRequest, context: SearchContext, signal: AbortSignal): Promise<TextPage> {
  const { roots, timeoutMs, list } = context;
  const { path: requested, limit } = request;
  const searchKey = searchKeyOf(request);
  const position = openCursor(searchKey, request.cursor);
  const after = position && { ...position, count: position.shown };
  const first = createTopItems<Counted>({ maxItems: limit ?? list.over, after, order: compareCounts });
  const args = [...textArguments(request), "--count", "--with-filename", "--null"];
  let total = 0;
  const timedOut = await searchTargets(
    { path: requested, selection: request, signal },
    context,
    async (target, deadline) => {
      await rejectBinary(target, deadline);
      for await (const batch of countRecords(target.run(args))) {
        for (const { path: found, count } of batch) {
          const path = target.show(found);
          if (path === undefined) continue;
          total += count;
          first.add({ target: target.index, path, count });
        }
      }
      return true;
    },
  );
  const { items, compacted, last } = cutPage(first, limit, list);
  const next = last && { target: last.target, path: last.path, shown: last.count };
  return {
    items: filterContained(roots, items).map(({ path, count }) => ({ path, count })),
    files: first.total,
    ...pageEnding({ request, searchKey, total, next, compacted, timedOut, timeoutMs }),
  };
}

function compareCounts(a: Counted, b: Counted): number {
  return b.count - a.count || a.target - b.target || comparePaths(a.path, b.path);
}
