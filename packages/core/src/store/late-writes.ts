import type { Store } from "./store.ts";

/** An entry of a write-behind queue. */
export interface LateWrite {
  /** The id of the workspace to write to. */
  readonly workspace: string;
  /** Approximate memory that the entry keeps, in bytes. */
  readonly bytes: number;
  /** Whether the entry is dropped when the queue is full. */
  readonly mayDrop: boolean;
  /**
   * Writes the records of the entry.
   *
   * After a failed transaction it runs again, so it must write the same records: it chooses their ids before.
   *
   * @param store a transaction in the workspace, shared with other entries
   */
  write(store: Store): Promise<unknown>;
}

const maxCount = 10_000;
const maxBytes = 16 * 1_024 * 1_024;
const flushCount = 200;
const flushBytes = 4 * 1_024 * 1_024;

/** The entries of a write-behind queue that are not being written, oldest first. Bounded by count and by bytes. */
export interface LateWrites {
  count(): number;
  /** Whether the entries are enough for a flush without delay. */
  isFlushDue(): boolean;
  /** Adds an entry as the newest. Drops older ones to make room. */
  add(entry: LateWrite): { readonly isAdded: boolean; readonly dropped: number };
  /** Takes the oldest entries: at most `max`, and no more than one flush writes at once. */
  take(max: number): readonly LateWrite[];
  /** Puts entries back as the oldest. Returns how many entries were dropped, because there are too many. */
  putBack(entries: readonly LateWrite[]): number;
}

export function createLateWrites(): LateWrites {
  const entries: LateWrite[] = [];
  let bytes = 0;
  const insert = (at: number, added: readonly LateWrite[]) => {
    entries.splice(at, 0, ...added);
    for (const entry of added) bytes += entry.bytes;
  };
  const remove = (at: number, count: number) => {
    const removed = entries.splice(at, count);
    for (const entry of removed) bytes -= entry.bytes;
    return removed;
  };
  const hasRoom = (count: number, size: number) => entries.length + count <= maxCount && bytes + size <= maxBytes;
  /** Drops the oldest entries until there is room. Entries that may not be dropped stay. Returns how many it dropped. */
  const makeRoom = (count: number, size: number) => {
    let dropped = 0;
    while (!hasRoom(count, size)) {
      const oldest = entries.findIndex(({ mayDrop }) => mayDrop);
      if (oldest === -1) break;
      remove(oldest, 1);
      dropped += 1;
    }
    return dropped;
  };
  return {
    count: () => entries.length,
    isFlushDue: () => entries.length >= flushCount || bytes >= flushBytes,
    add(entry) {
      const dropped = entry.bytes > maxBytes ? 0 : makeRoom(1, entry.bytes);
      const isAdded = hasRoom(1, entry.bytes);
      if (isAdded) insert(entries.length, [entry]);
      return { isAdded, dropped: dropped + Number(!isAdded && entry.mayDrop) };
    },
    take(max) {
      let count = 0;
      for (let size = 0; count < Math.min(max, flushCount, entries.length) && size < flushBytes; count += 1) {
        size += entries[count]?.bytes ?? 0;
      }
      return remove(0, count);
    },
    putBack(added) {
      insert(0, added);
      return makeRoom(0, 0);
    },
  };
}
