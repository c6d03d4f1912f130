import { pageSize, type Compaction } from "@toolpacks/core";

interface Wanted {
  /** Number of items after the page's start, kept or only counted. */
  readonly remaining: number;
  readonly limit: number | undefined;
  readonly list: Compaction;
}

export interface CutPage<T> {
  readonly items: readonly T[];
  readonly compacted: boolean;
  /** The last item, if more items follow it. */
  readonly last: T | undefined;
}

/** Cuts a page from the kept items of a list. The other items are only counted. */
export function cutPage<T>(kept: readonly T[], { remaining, limit, list }: Wanted): CutPage<T> {
  const { size, compacted } = pageSize(remaining, limit, list);
  const items = kept.slice(0, size);
  return { items, compacted, last: items.length < remaining ? items.at(-1) : undefined };
}
