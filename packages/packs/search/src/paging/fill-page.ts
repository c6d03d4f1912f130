import { comparePaths } from "./compare-paths.ts";
import type { Target } from "../target.ts";
import type { Found, Page } from "./page.ts";
import { isTimeout } from "./until-deadline.ts";

/** How one run of a search goes. */
export interface Pass {
  /** In the order of paths, on one thread. Otherwise in any order, as fast as it can. */
  readonly sorted: boolean;
  /** The most hits of one file. */
  readonly mostPerFile?: number;
}

interface Patience {
  /** Milliseconds after which a page that is full is not kept waiting for the total. */
  readonly patience: number;
}

/** Yields what is found in batches, the finds of one file together. */
export type Run<T extends Found> = (pass: Pass) => AsyncIterable<readonly T[]>;

/** Beyond so many finds, the rest is left unsearched. */
const mostGathered = 20_000;
const leastPerFile = 1000;

/**
 * Adds to a page what a search finds in one target.
 *
 * ripgrep is fastest in no order, but pages need one. So it runs in no order first: most searches end soon, and then their finds are
 * put in order here, and counted exactly. One that finds more than a page in no time, or goes on for long, is stopped, and begun again in
 * order: that fills the page before much of the tree is walked.
 *
 * One file is in order as it is.
 *
 * @returns whether everything was counted
 */
export async function fillPage<T extends Found>(
  page: Page<T>,
  { index, input, patience }: Pick<Target, "index" | "input"> & Patience,
  run: Run<T>,
): Promise<boolean> {
  if (input !== undefined) return addInOrder(page, index, { found: run({ sorted: true }), countOn: patience });
  const mostPerFile = Math.max(leastPerFile, page.mostOfOneFile);
  const gathered: T[] = [];
  let whole: boolean;
  try {
    whole = await gather(gathered, { enough: page.mostOfOneFile, patience }, run({ sorted: false, mostPerFile }));
  } catch (error) {
    // Out of time: what was found until then is worth showing.
    if (isTimeout(error)) addAll(page, index, gathered);
    throw error;
  }
  if (whole) return addAll(page, index, gathered) < mostPerFile;
  return addInOrder(page, index, { found: run({ sorted: true }), countOn: 0 });
}

interface InOrder<T> {
  readonly found: AsyncIterable<readonly T[]>;
  /** Milliseconds for which hits are counted on once the page is full. */
  readonly countOn: number;
}

async function addInOrder<T extends Found>(
  page: Page<T>,
  target: number,
  { found, countOn }: InOrder<T>,
): Promise<boolean> {
  let until: number | undefined;
  for await (const batch of found) {
    if (until !== undefined && performance.now() > until) return false;
    for (const item of batch) {
      if (until !== undefined) page.count(item.isMatch === false ? 0 : 1);
      else if (!page.add(target, item)) until = performance.now() + countOn;
    }
    if (until !== undefined && countOn === 0) return false;
  }
  return true;
}

async function gather<T extends Found>(
  gathered: T[],
  { enough, patience }: Patience & { readonly enough: number },
  found: AsyncIterable<readonly T[]>,
): Promise<boolean> {
  const until = performance.now() + patience;
  let hits = 0;
  for await (const batch of found) {
    for (const item of batch) {
      gathered.push(item);
      if (item.isMatch !== false) hits += 1;
    }
    if (gathered.length > mostGathered || (hits >= enough && performance.now() > until)) return false;
  }
  return true;
}

/** Adds finds in the order of their paths, and returns how many the file with the most has. */
function addAll<T extends Found>(page: Page<T>, target: number, found: readonly T[]): number {
  const files = Map.groupBy(found, ({ path }) => path);
  let most = 0;
  for (const path of [...files.keys()].sort(comparePaths)) {
    const items = files.get(path) ?? [];
    let hits = 0;
    let added = true;
    for (const item of items) {
      if (item.isMatch !== false) hits += 1;
      // A page that is full still wants to know how many there are.
      if (added) added = page.add(target, item);
      else if (item.isMatch !== false) page.count(1);
    }
    most = Math.max(most, hits);
  }
  return most;
}
