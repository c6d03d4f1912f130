import { pageSize } from "@toolpacks/core";
import { contained } from "../contained.ts";
import type { SearchContext } from "../context.ts";
import { makeCursor, openCursor, type Position } from "../paging/cursor.ts";
import { untilDeadline } from "../paging/until-deadline.ts";
import { hintOf } from "../paging/hint.ts";
import { pathRecords } from "../ripgrep/path-records.ts";
import { withSearchRun } from "../ripgrep/search-run.ts";
import type { FilesPage, FilesRequest } from "../search-files.ts";
import { eachTarget } from "../target.ts";
import { askedOf, fileArguments, selectionOf } from "./file-arguments.ts";

/** A page of files, last changed first; root by root where there are several. */
export async function newestPage(
  request: FilesRequest,
  { roots, timeoutMs, list }: SearchContext,
  signal: AbortSignal,
): Promise<FilesPage> {
  const asked = askedOf(request);
  const first = createRest(request.limit ?? list.over, openCursor(asked, request.cursor));
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
  const { size, compacted } = pageSize(first.remaining, request.limit, list);
  const items = first.held.slice(0, size).map((path) => ({ path }));
  const last = items.at(-1);
  const more = last !== undefined && items.length < first.remaining && !timedOut;
  const shown = first.total - first.remaining + items.length;
  return {
    items: contained(roots, items),
    total: first.total,
    ...(more && { cursor: makeCursor(asked, { target: 0, path: last.path, shown }) }),
    ...(compacted && { compacted }),
    ...(timedOut && { partial: true }),
    ...hintOf({ compacted, timedOut, timeoutMs }),
  };
}

/** Holds the first of what follows a position, in the order in which it comes, and counts the rest. */
function createRest(most: number, after: Position | undefined) {
  const held: string[] = [];
  let [total, remaining] = [0, 0];
  let begun = after === undefined;
  return {
    held,
    add(path: string) {
      total += 1;
      if (begun) {
        remaining += 1;
        if (held.length < most) held.push(path);
      } else {
        // Files that changed since go to the front; then the path says where the last page ended, and not how many there were.
        begun = path === after?.path || total >= (after?.shown ?? 0);
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
