import { isTimeout, type Target } from "../target.ts";
import { comparePaths } from "./compare-paths.ts";
import type { Found, Page } from "./page.ts";

/** The options of one run of ripgrep. */
export interface Pass {
  /** Whether to search in the order of paths, on one thread. Otherwise the order is random, and the run is faster. */
  readonly sorted: boolean;
  /** Maximum number of hits in one file. */
  readonly maxPerFile?: number;
}

/** Yields hits in batches. The hits of one file come together. */
export type Run<T extends Found> = (pass: Pass) => AsyncIterable<readonly T[]>;

/** Maximum number of hits of the unsorted run. Beyond it, a sorted run fills the page. */
const maxGathered = 20_000;
const minPerFile = 1000;
/** Time to count further hits of a single file after the page is full, in ms. */
const singleFileCountMs = 100;

/**
 * Adds the hits of one target to a page. ripgrep is fastest without an order, but pages need one: the hits of an unsorted run are sorted here, and the
 * count is exact. Of too many hits, a sorted run finds the first ones. A single file needs only that.
 *
 * @returns whether every hit was counted
 */
export async function fillPage<T extends Found>(
  page: Page<T>,
  { index, file }: Pick<Target, "index" | "file">,
  run: Run<T>,
): Promise<boolean> {
  if (file !== undefined) return addInOrder(page, index, { found: run({ sorted: true }), countOn: singleFileCountMs });
  const maxPerFile = Math.max(minPerFile, page.maxFromOneFile);
  const found: T[] = [];
  const isWhole = await gather(found, run({ sorted: false, maxPerFile })).catch((error: unknown) => {
    // After a timeout, show the hits so far.
    if (isTimeout(error)) addAll(page, index, found);
    throw error;
  });
  if (isWhole) return addAll(page, index, found) < maxPerFile;
  return addInOrder(page, index, { found: run({ sorted: true }), countOn: 0 });
}

/** @returns whether the run found everything */
async function gather<T extends Found>(found: T[], batches: AsyncIterable<readonly T[]>): Promise<boolean> {
  for await (const batch of batches) {
    for (const one of batch) found.push(one);
    if (found.length > maxGathered) return false;
  }
  return true;
}

/**
 * @param countOn time to count further hits after the page is full, in ms
 * @returns whether every hit was counted
 */
async function addInOrder<T extends Found>(
  page: Page<T>,
  target: number,
  { found, countOn }: { readonly found: AsyncIterable<readonly T[]>; readonly countOn: number },
): Promise<boolean> {
  let until: number | undefined;
  for await (const batch of found) {
    if (until !== undefined && performance.now() > until) return false;
    for (const item of batch) {
      if (item.isBinary === true) continue;
      if (until !== undefined) page.total += item.isMatch === false ? 0 : 1;
      else if (!page.add(target, item)) until = performance.now() + countOn;
    }
    if (until !== undefined && countOn === 0) return false;
  }
  return true;
}

/**
 * Adds hits in the order of their paths, without those of binary files.
 *
 * @returns the largest number of hits in one file
 */
function addAll<T extends Found>(page: Page<T>, target: number, found: readonly T[]): number {
  const files = Map.groupBy(found, ({ path }) => path);
  let maxHits = 0;
  for (const path of [...files.keys()].sort(comparePaths)) {
    const items = files.get(path) ?? [];
    if (items.some(({ isBinary }) => isBinary)) continue;
    let hits = 0;
    let added = true;
    for (const item of items) {
      if (item.isMatch !== false) hits += 1;
      // A full page still counts the other hits.
      if (added) added = page.add(target, item);
      else if (item.isMatch !== false) page.total += 1;
    }
    maxHits = Math.max(maxHits, hits);
  }
  return maxHits;
}
