import { contained } from "../contained.ts";
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
  const { total, remaining } = first;
  const { items, compacted, last } = cutPage(first.held, { remaining, limit: request.limit, list });
  const shown = total - remaining + items.length;
  const next = last === undefined ? undefined : { target: 0, path: last, shown };
  return {
    items: contained(
      roots,
      items.map((path) => ({ path })),
    ),
    total,
    ...pageEnding({ asked, next, compacted, timedOut, timeoutMs }),
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
