import type { Found, Page } from "./page.ts";

/** After a page is full, further hits are counted up to this number, and for this time in ms. */
const maxCounted = 20_000;
const maxCountMs = 500;
/** Maximum hits of a file that wait for the end of the file, which tells if it is binary. */
const maxWaiting = 1_000;

/**
 * Adds the hits of one target to a page, in the order of their paths, without those of binary files. The hits of one file come together.
 *
 * @returns whether every hit was counted
 */
export async function fillPage<T extends Found>(
  page: Page<T>,
  target: number,
  batches: AsyncIterable<readonly T[]>,
): Promise<boolean> {
  let waiting: T[] = [];
  let until: number | undefined;
  const flush = () => {
    for (const item of waiting.some(({ isBinary }) => isBinary) ? [] : waiting) {
      if (until !== undefined) page.total += item.isMatch === false ? 0 : 1;
      else if (!page.add(target, item)) until = performance.now() + maxCountMs;
    }
    waiting = [];
  };
  try {
    for await (const batch of batches) {
      for (const item of batch) {
        if (item.path !== waiting[0]?.path || waiting.length >= maxWaiting) flush();
        waiting.push(item);
      }
      if (until !== undefined && (performance.now() > until || page.total > maxCounted)) return false;
    }
    return true;
  } finally {
    // After a timeout, too: the hits so far are shown.
    flush();
  }
}
