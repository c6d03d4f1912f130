import { pageSize, type Compaction } from "@toolpacks/core";
import { comparePaths } from "./compare-paths.ts";
import type { Position } from "./cursor.ts";

/** An item of a page: a hit, or a context line of a hit. */
export interface Found {
  readonly path: string;
  readonly isMatch?: boolean;
  /** Marks the file as binary. The file's earlier hits are removed. */
  readonly isBinary?: true;
  readonly text?: string;
}

interface Taken<T> {
  readonly item: T;
  readonly position: Position;
}

/** Collects the items of a list after a position. Items are added in the order of paths. */
export interface Page<T extends Found> {
  /** Adds an item. Returns false once the page is full and has a further hit. */
  add(target: number, item: T): boolean;
  /** Maximum number of hits of one file that the page may still need. */
  readonly maxFromOneFile: number;
  /** Number of hits, shown or not. */
  readonly total: number;
  /** Counts hits that are not added. */
  count(hits: number): void;
  readonly full: boolean;
  finish(compaction: Compaction): PageEnd<T>;
}

export interface PageEnd<T> {
  readonly items: readonly T[];
  readonly compacted: boolean;
  /** The position at which the page ends; undefined if it is the last page. */
  readonly next: Position | undefined;
}

export interface PageOptions {
  readonly limit: number | undefined;
  /** Maximum number of hits without a limit. */
  readonly maxItems: number;
  readonly after: Position | undefined;
}

/** Maximum length of a page's text. The page ends with the hit that exceeds it, because clients fail on very large messages. */
const maxCharacters = 200_000;

export function createPage<T extends Found>({ limit, maxItems, after }: PageOptions): Page<T> {
  const size = limit ?? maxItems;
  const taken: Taken<T>[] = [];
  let [hits, total, characters] = [0, 0, 0];
  let full = false;
  let current: { readonly target: number; readonly path: string } | undefined;
  let ordinal = 0;

  return {
    get maxFromOneFile() {
      return size - hits + (after?.shown ?? 0) + 1;
    },
    get total() {
      return total;
    },
    get full() {
      return full;
    },
    count(more) {
      total += more;
    },
    add(target, item) {
      if (current?.target !== target || current.path !== item.path) {
        current = { target, path: item.path };
        ordinal = 0;
      }
      const isHit = item.isMatch !== false;
      if (isHit) [ordinal, total] = [ordinal + 1, total + 1];
      // Without room for any hit, all are counted.
      if (size === 0) return true;
      const order = after === undefined ? 1 : target - after.target || comparePaths(item.path, after.path);
      const shown =
        order < 0 || (order === 0 && ordinal <= (after?.shown ?? 0) && (isHit || ordinal < (after?.shown ?? 0)));
      if (shown) return true;
      if (full) return false;
      if (hits === size || characters > maxCharacters) {
        full = isHit;
        // The lines after the last hit belong to the page. Those before the first hit of another file do not.
        if (isHit || ordinal === 0) return !isHit;
      }
      if (isHit) hits += 1;
      characters += item.text?.length ?? 0;
      taken.push({ item, position: { target, path: item.path, shown: ordinal } });
      return true;
    },
    finish(compaction) {
      const { size: kept, compacted } = pageSize(hits + (full ? 1 : 0), limit, compaction);
      const items = cut(taken, Math.min(kept, hits));
      const last = items.at(-1);
      const more = full || kept < hits;
      return { items: items.map(({ item }) => item), compacted, next: more ? last?.position : undefined };
    },
  };
}

/** Returns the first `hits` hits with their context lines. */
function cut<T extends Found>(taken: readonly Taken<T>[], hits: number): readonly Taken<T>[] {
  let count = 0;
  const end = taken.findIndex(({ item }) => item.isMatch !== false && (count += 1) > hits);
  if (end === -1) return taken;
  const lastHit = taken.findLastIndex(({ item }, at) => at < end && item.isMatch !== false);
  const lastPath = taken[lastHit]?.position.path;
  return taken.slice(0, end).filter(({ position }, at) => at <= lastHit || position.path === lastPath);
}
