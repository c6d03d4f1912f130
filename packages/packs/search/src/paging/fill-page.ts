import type { Target } from "../target.ts";
import { comparePaths } from "./compare-paths.ts";
import type { Found, Page } from "./page.ts";
import { isTimeout } from "./until-deadline.ts";

/** How one run of a search goes. */
export interface Pass {
  /** In the order of paths, on one thread. Otherwise in any order, as fast as it can. */
  readonly sorted: boolean;
  /** The most hits of one file. */
  readonly maxPerFile?: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Yields what is found in batches, the finds of one file together. */
export type Run<T extends Found> = (pass: Pass) => AsyncIterable<readonly T[]>;

export interface Filled<T extends Found> {
  readonly page: Page<T>;
  /** Whether every hit was counted. */
  readonly counted: boolean;
}

/** Beyond so many finds of a run in no order, only one in order goes on. */
const maxGathered = 20_000;
const minPerFile = 1000;
/** Milliseconds that a run in no order has to itself, though it found a page. */
const patience = 300;
/** Milliseconds for which hits of one file are counted on though the page is full. */
const countingOn = 100;

/**
 * Adds to a page what a search finds in one target.
 *
 * ripgrep is fastest in no order, but pages need one. So it runs in no order first: most searches end soon, and then their finds are
 * put in order here, and counted exactly. Where there are too many, or it takes long though a page was found, it is begun again in
 * order, which fills a page before much of the tree is walked, unless the hits are all at its end: whichever is done first is taken.
 * One file is in order as it is.
 */
export async function fillPage<T extends Found>(
  page: Page<T>,
  { index, input }: Pick<Target, "index" | "input">,
  run: Run<T>,
): Promise<Filled<T>> {
  const ended = new AbortController();
  const { signal } = ended;
  if (input !== undefined) {
    const counted = await addInOrder(page, index, { found: run({ sorted: true, signal }), countOn: countingOn });
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
    // Out of time: what was found until then is worth showing.
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
  /** Whether everything was found, once that is known. */
  readonly whole: Promise<boolean>;
  /** Resolves when it takes long though it found enough; rejects when it is stopped before. */
  readonly late: Promise<void>;
  stop(): void;
}

function gather<T extends Found>(batches: AsyncIterable<readonly T[]>, enough: number): Gathering<T> {
  const found: T[] = [];
  const binary = new Set<string>();
  const late = Promise.withResolvers<void>();
  let hits = 0;
  let patient = true;
  const timer = setTimeout(() => {
    patient = false;
    if (hits >= enough) late.resolve();
  }, patience);
  const read = async () => {
    for await (const batch of batches) {
      for (const item of batch) {
        if (item.isBinary === true) binary.add(item.path);
        else found.push(item);
        if (item.isMatch !== false) hits += 1;
      }
      if (found.length > maxGathered) return false;
      if (hits >= enough && !patient) late.resolve();
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
  /** Milliseconds for which hits are counted on once the page is full. */
  readonly countOn: number;
}

/** Returns whether every hit was counted. */
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

/** Adds finds in the order of their paths, and returns how many the file with the most has. */
function addAll<T extends Found>(page: Page<T>, target: number, found: readonly T[]): number {
  const files = Map.groupBy(found, ({ path }) => path);
  let most = 0;
  for (const path of [...files.keys()].sort(comparePaths)) {
    let hits = 0;
    let added = true;
    for (const item of files.get(path) ?? []) {
      if (item.isMatch !== false) hits += 1;
      // A page that is full still wants to know how many there are.
      if (added) added = page.add(target, item);
      else if (item.isMatch !== false) page.count(1);
    }
    most = Math.max(most, hits);
  }
  return most;
}
