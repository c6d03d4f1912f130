import type { Target } from "../target.ts";
import { comparePaths } from "./compare-paths.ts";
import type { Found, Page } from "./page.ts";
import { isTimeout } from "./until-deadline.ts";

/** The options of one run of ripgrep. */
export interface Pass {
  /** Whether to search in the order of paths, on one thread. Otherwise the order is random, and the run is faster. */
  readonly sorted: boolean;
  /** Maximum number of hits in one file. */
  readonly maxPerFile?: number;
  /** Stops the run. */
  readonly signal: AbortSignal;
}

/** Yields hits in batches. The hits of one file come together. */
export type Run<T extends Found> = (pass: Pass) => AsyncIterable<readonly T[]>;

export interface Filled<T extends Found> {
  readonly page: Page<T>;
  /** Whether every hit was counted. */
  readonly counted: boolean;
}

/** Maximum number of hits of the unsorted run. Beyond it, only the sorted run continues. */
const maxGathered = 20_000;
const minPerFile = 1000;
/** Time before the sorted run starts although the unsorted run has found a page, in ms. */
const unsortedGraceMs = 300;
/** Time to count further hits of a single file after the page is full, in ms. */
const singleFileCountMs = 100;

/**
 * Adds the hits of one target to a page.
 *
 * ripgrep is fastest without an order, but pages need one. So the first run is unsorted. Most searches end soon: then this function sorts the hits, and
 * the count is exact. If there are too many hits, or the run takes long although it has found a page, a second, sorted run starts. It fills the page
 * before it walks much of the tree, unless all hits are at the end. The first run to finish wins. A single file needs only one run.
 */
export async function fillPage<T extends Found>(
  page: Page<T>,
  { index, input }: Pick<Target, "index" | "input">,
  run: Run<T>,
): Promise<Filled<T>> {
  const ended = new AbortController();
  const { signal } = ended;
  if (input !== undefined) {
    const counted = await addInOrder(page, index, { found: run({ sorted: true, signal }), countOn: singleFileCountMs });
    return { page, counted };
  }
  const beginInOrder = async (): Promise<Filled<T>> => {
    const copy = page.copy();
    const found = run({ sorted: true, signal });
    return { page: copy, counted: await addInOrder(copy, index, { found, countOn: 0 }) };
  };
  let begun: Promise<Filled<T>> | undefined;
  const inOrder = () => {
    begun ??= beginInOrder();
    return begun;
  };

  const maxPerFile = Math.max(minPerFile, page.maxFromOneFile);
  const gathering = gather(run({ sorted: false, maxPerFile, signal }), page.maxFromOneFile);
  const put = (): Filled<T> => ({ page, counted: addAll(page, index, gathering.found) < maxPerFile });
  const whole = gathering.whole.then((isWhole) => (isWhole ? put() : inOrder()));
  const late = gathering.late.then(inOrder);
  try {
    return await Promise.race([whole, late]);
  } catch (error) {
    // After a timeout, show the hits so far.
    if (isTimeout(error)) addAll(page, index, gathering.found);
    throw error;
  } finally {
    ended.abort();
    gathering.stop();
    await Promise.allSettled([whole, late]);
  }
}

interface Gathering<T> {
  readonly found: readonly T[];
  /** Resolves to whether the run found everything. */
  readonly whole: Promise<boolean>;
  /** Resolves if the run takes long although it has found enough. Rejects if it is stopped before. */
  readonly late: Promise<void>;
  stop(): void;
}

function gather<T extends Found>(batches: AsyncIterable<readonly T[]>, enough: number): Gathering<T> {
  const found: T[] = [];
  const binary = new Set<string>();
  const late = Promise.withResolvers<void>();
  let hits = 0;
  let isInGracePeriod = true;
  const timer = setTimeout(() => {
    isInGracePeriod = false;
    if (hits >= enough) late.resolve();
  }, unsortedGraceMs);
  const read = async () => {
    for await (const batch of batches) {
      for (const item of batch) {
        if (item.isBinary === true) binary.add(item.path);
        else found.push(item);
        if (item.isMatch !== false) hits += 1;
      }
      if (found.length > maxGathered) return false;
      if (hits >= enough && !isInGracePeriod) late.resolve();
    }
    return true;
  };
  const stop = () => {
    clearTimeout(timer);
    late.reject(new Error("stopped"));
  };
  const whole = read();
  return {
    get found() {
      return binary.size === 0 ? found : found.filter(({ path }) => !binary.has(path));
    },
    whole,
    late: late.promise,
    stop,
  };
}

interface InOrder<T> {
  readonly found: AsyncIterable<readonly T[]>;
  /** Time to count further hits after the page is full, in ms. */
  readonly countOn: number;
}

/** @returns whether every hit was counted */
async function addInOrder<T extends Found>(
  page: Page<T>,
  target: number,
  { found, countOn }: InOrder<T>,
): Promise<boolean> {
  let until: number | undefined;
  for await (const batch of found) {
    if (until !== undefined && performance.now() > until) return false;
    for (const item of batch) {
      if (item.isBinary === true) continue;
      if (until !== undefined) page.count(item.isMatch === false ? 0 : 1);
      else if (!page.add(target, item)) until = performance.now() + countOn;
    }
    if (until !== undefined && countOn === 0) return false;
  }
  return true;
}

/**
 * Adds hits in the order of their paths.
 *
 * @returns the largest number of hits in one file
 */
function addAll<T extends Found>(page: Page<T>, target: number, found: readonly T[]): number {
  const files = Map.groupBy(found, ({ path }) => path);
  let maxHits = 0;
  for (const path of [...files.keys()].sort(comparePaths)) {
    let hits = 0;
    let added = true;
    for (const item of files.get(path) ?? []) {
      if (item.isMatch !== false) hits += 1;
      // A full page still counts the other hits.
      if (added) added = page.add(target, item);
      else if (item.isMatch !== false) page.count(1);
    }
    maxHits = Math.max(maxHits, hits);
  }
  return maxHits;
}
