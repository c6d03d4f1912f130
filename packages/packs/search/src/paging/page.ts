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
  readonly groups?: Readonly<Record<string, string>>;
}

interface Taken<T> {
  readonly item: T;
  readonly position: Position;
}

export interface PageOptions {
  readonly limit: number | undefined;
  /** Maximum number of hits without a limit. */
  readonly maxItems: number;
  readonly after: Position | undefined;
}

/** Maximum length of a page's text. The page ends with the hit that exceeds it, because clients fail on very large messages. */
const maxCharacters = 200_000;

/** Collects the items of a list after a position. Items are added in the order of paths. */
export class Page<T extends Found> {
  /** Number of hits, shown or not. Hits that are only counted are added here. */
  total = 0;
  /** Whether there is a further hit than the page has room for. */
  full = false;
  readonly #limit: number | undefined;
  readonly #size: number;
  readonly #after: Position | undefined;
  readonly #taken: Taken<T>[] = [];
  #hits = 0;
  #characters = 0;
  /** The file of the last item, and the number of its hits so far. */
  #current = { target: -1, path: "", hits: 0 };

  constructor({ limit, maxItems, after }: PageOptions) {
    this.#limit = limit;
    this.#size = limit ?? maxItems;
    this.#after = after;
  }

  /** Maximum number of hits of one file that the page may still need. */
  get maxFromOneFile(): number {
    return this.#size - this.#hits + (this.#after?.shown ?? 0) + 1;
  }

  /** Adds an item. Returns false once the page is full and has a further hit. */
  add(target: number, item: T): boolean {
    if (this.#current.target !== target || this.#current.path !== item.path)
      this.#current = { target, path: item.path, hits: 0 };
    const isHit = item.isMatch !== false;
    if (isHit) {
      this.#current.hits += 1;
      this.total += 1;
    }
    // Without room for any hit, all are counted.
    if (this.#size === 0 || this.#wasShown(isHit)) return true;
    if (this.full) return false;
    if (this.#hits === this.#size || this.#characters > maxCharacters) {
      this.full = isHit;
      // The lines after the last hit belong to the page. Those before the first hit of another file do not.
      if (isHit || this.#current.hits === 0) return !isHit;
    }
    if (isHit) this.#hits += 1;
    this.#characters += (item.text?.length ?? 0) + (item.groups === undefined ? 0 : JSON.stringify(item.groups).length);
    this.#taken.push({ item, position: { target, path: item.path, shown: this.#current.hits } });
    return true;
  }

  /** The items of the page, and the position at which it ends. `next` is undefined on the last page. */
  finish(compaction: Compaction) {
    const { size: kept, compacted } = pageSize(this.#hits + (this.full ? 1 : 0), this.#limit, compaction);
    const taken = cut(this.#taken, Math.min(kept, this.#hits));
    const next = this.full || kept < this.#hits ? taken.at(-1)?.position : undefined;
    return { items: taken.map(({ item }) => item), compacted, next };
  }

  /** Whether an earlier page has the current item. */
  #wasShown(isHit: boolean): boolean {
    if (this.#after === undefined) return false;
    const { target, path, hits } = this.#current;
    const order = target - this.#after.target || comparePaths(path, this.#after.path);
    return order < 0 || (order === 0 && (isHit ? hits <= this.#after.shown : hits < this.#after.shown));
  }
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
