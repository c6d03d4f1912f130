import { pageSize, type Compaction } from "@toolpacks/core";

/** The first items of a list after a position, in their order. All items of the list are counted. */
export interface FirstItems<T> {
  add(one: T): void;
  sorted(): readonly T[];
  readonly total: number;
  /** Number of items after the position, kept or not. */
  readonly remaining: number;
}

interface TopItemsOptions<T> {
  /** Maximum number of items to keep. */
  readonly maxItems: number;
  /** Only items after this one are kept. */
  readonly after: T | undefined;
  readonly order: (a: T, b: T) => number;
}

/** Keeps the first items of a sorted list. The memory does not grow with the number of items. */
export function createTopItems<T>({ maxItems, after, order }: TopItemsOptions<T>): FirstItems<T> {
  let kept: T[] = [];
  let [total, remaining] = [0, 0];
  /** The last kept item, once there are `maxItems` items. Later items are not kept. */
  let bound: T | undefined;
  const sorted = () => {
    kept = kept.sort(order).slice(0, maxItems);
    bound = kept[maxItems - 1];
    return kept;
  };
  return {
    add(one) {
      total += 1;
      if (after !== undefined && order(one, after) <= 0) return;
      remaining += 1;
      if (bound !== undefined && order(one, bound) > 0) return;
      kept.push(one);
      if (kept.length > 2 * maxItems + 1000) sorted();
    },
    sorted,
    get total() {
      return total;
    },
    get remaining() {
      return remaining;
    },
  };
}

/** Cuts a page from the first items. `last` is its last item, if more items follow it. */
export function cutPage<T>(first: FirstItems<T>, limit: number | undefined, list: Compaction) {
  const { size, compacted } = pageSize(first.remaining, limit, list);
  const items = first.sorted().slice(0, size);
  return { items, compacted, last: items.length < first.remaining ? items.at(-1) : undefined };
}
