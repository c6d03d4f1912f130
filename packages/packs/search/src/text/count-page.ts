import { pageSize } from "@toolpacks/core";
import type { SearchContext } from "../context.ts";
import { comparePaths } from "../paging/compare-paths.ts";
import { makeCursor, openCursor, type Position } from "../paging/cursor.ts";
import { isTimeout } from "../paging/fill-page.ts";
import { countRecords, type PathRecord } from "../ripgrep/path-records.ts";
import type { TextPage, TextRequest } from "../search-text.ts";
import { eachTarget } from "../target.ts";
import { hintOf } from "./hint.ts";
import { withSearchRun } from "./search-run.ts";
import { askedOf, textArguments } from "./text-arguments.ts";

interface Counted extends PathRecord {
  readonly target: number;
}

/** A page of `search_text` in mode `count`: everything is counted, and the first files in the order of paths are held. */
export async function countPage(request: TextRequest, context: SearchContext, signal: AbortSignal): Promise<TextPage> {
  const { roots, timeoutMs, list } = context;
  const asked = askedOf(request);
  const first = createFirst(request.limit ?? list.over ?? 20, openCursor(asked, request.cursor));
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const args = [...textArguments(request), "--count", "--with-filename", "--null"];
  let timedOut = false;
  try {
    await withSearchRun(request, deadline, (run) =>
      eachTarget(roots, request.path, async (target) => {
        for await (const batch of countRecords(run.run(target, args))) {
          for (const { path, count } of batch) {
            if (run.admits(target, path)) first.add({ target: target.index, path: target.show(path), count });
          }
        }
        return true;
      }),
    );
  } catch (error) {
    if (!isTimeout(error) || signal.aborted) throw error;
    timedOut = true;
  }
  const { size, compacted } = pageSize(first.remaining, request.limit, list);
  const items = first.sorted().slice(0, size);
  const last = items.at(-1);
  const more = last !== undefined && items.length < first.remaining && !timedOut;
  return {
    items: items.map(({ path, count }) => ({ path, count })),
    total: first.total,
    files: first.files,
    ...(more && { cursor: makeCursor(asked, { target: last.target, path: last.path, shown: 1 }) }),
    ...(compacted && { compacted }),
    ...(timedOut && { partial: true }),
    ...hintOf({ compacted, timedOut, timeoutMs }),
  };
}

/** Holds the first of many in order, while it counts them all. */
function createFirst(most: number, after: Position | undefined) {
  let held: Counted[] = [];
  let [total, files, remaining] = [0, 0, 0];
  const order = (a: Omit<Counted, "count">, b: Omit<Counted, "count">) =>
    a.target - b.target || comparePaths(a.path, b.path);
  /** The last one that is held, once there are enough: what comes after it needs no place. */
  let bound: Counted | undefined;
  const sorted = () => {
    held = held.sort(order).slice(0, most);
    bound = held[most - 1];
    return held;
  };
  return {
    add(one: Counted) {
      total += one.count;
      files += 1;
      if (after !== undefined && order(one, after) <= 0) return;
      remaining += 1;
      if (bound !== undefined && order(one, bound) > 0) return;
      held.push(one);
      if (held.length > 2 * most + 1000) sorted();
    },
    sorted,
    get total() {
      return total;
    },
    get files() {
      return files;
    },
    get remaining() {
      return remaining;
    },
  };
}
