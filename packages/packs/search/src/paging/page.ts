import { pageSize, type Compaction } from "@toolpacks/core";
import { comparePaths } from "./compare-paths.ts";
import type { Position } from "./cursor.ts";

/** What a page is made of. One that is no hit, a line around a match, comes along with the hits beside it. */
export interface Found {
  readonly path: string;
  readonly isMatch?: boolean;
  /** This is no find: the finds of its file are taken back, because the file is binary. */
  readonly isBinary?: true;
  readonly text?: string;
}

interface Taken<T> {
  readonly item: T;
  readonly position: Position;
}

/** The part of a list, given in the order of paths, that follows a position. */
export interface Page<T extends Found> {
  /** False once the page is full and one more hit is known. */
  add(target: number, item: T): boolean;
  /** Of how many hits of one file it may still need to know. */
  readonly maxFromOneFile: number;
  /** Hits that came by, shown or not. */
  readonly total: number;
  /** Counts hits that were not handed to it. */
  count(hits: number): void;
  readonly full: boolean;
  /** One that goes on from here on its own. */
  copy(): Page<T>;
  finish(compaction: Compaction): PageEnd<T>;
}

export interface PageEnd<T> {
  readonly items: readonly T[];
  readonly compacted: boolean;
  /** Where it ends; undefined when nothing follows. */
  readonly next: Position | undefined;
}

export interface PageOptions {
  readonly limit: number | undefined;
  /** The most that are gathered where no limit is given. */
  readonly most: number;
  readonly after: Position | undefined;
}

/** A page of more characters than this ends with the hit that exceeds them: clients close on messages of many megabytes. */
const maxCharacters = 200_000;

interface Begun<T> {
  readonly taken: readonly Taken<T>[];
  readonly hits: number;
  readonly total: number;
  readonly characters: number;
}

export function createPage<T extends Found>(options: PageOptions, begun?: Begun<T>): Page<T> {
  const { limit, most, after } = options;
  const size = limit ?? most;
  const taken = [...(begun?.taken ?? [])];
  let { hits, total, characters } = begun ?? { hits: 0, total: 0, characters: 0 };
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
    copy: () => createPage(options, { taken, hits, total, characters }),
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
      const order = after === undefined ? 1 : target - after.target || comparePaths(item.path, after.path);
      const shown =
        order < 0 || (order === 0 && ordinal <= (after?.shown ?? 0) && (isHit || ordinal < (after?.shown ?? 0)));
      if (shown) return true;
      if (isHit && (hits === size || characters > maxCharacters)) {
        full = true;
        return false;
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

/** The first so many hits with the lines around them. */
function cut<T extends Found>(taken: readonly Taken<T>[], hits: number): readonly Taken<T>[] {
  let count = 0;
  const end = taken.findIndex(({ item }) => item.isMatch !== false && (count += 1) > hits);
  return end === -1 ? taken : taken.slice(0, end);
}
