import { pageSize, type Compaction } from "@toolpacks/core";

interface Wanted {
  /** How many there are from the first one held on, held or not. */
  readonly remaining: number;
  readonly limit: number | undefined;
  readonly list: Compaction;
}

export interface CutPage<T> {
  readonly items: readonly T[];
  readonly compacted: boolean;
  /** The last of the items, where more follow it. */
  readonly last: T | undefined;
}

/** A page of the first of a list that was held, while the others were counted. */
export function cutPage<T>(held: readonly T[], { remaining, limit, list }: Wanted): CutPage<T> {
  const { size, compacted } = pageSize(remaining, limit, list);
  const items = held.slice(0, size);
  return { items, compacted, last: items.length < remaining ? items.at(-1) : undefined };
}
