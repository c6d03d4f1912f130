import { AsyncLocalStorage } from "node:async_hooks";
import { ToolError, withTimeout, type Store } from "@toolpacks/core";
import { isDamagedRecord } from "./damaged-record.ts";
import { createLateRemoval, type LateRemoval } from "./late-removal.ts";

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
   * After a failed transaction it runs again, so it must write the same records: it chooses their ids before. If it reads a damaged record, the entry is
   * dropped.
   *
   * @param store a transaction in the workspace, shared with other entries
   */
  write(store: Store): Promise<unknown>;
}

/**
 * A queue of records that are written after the response, such as traces.
 *
 * **What can be lost.** A killed process (SIGKILL) loses the entries that are not on disk yet: usually those of the last 250 ms, at most 200 of them.
 * It loses more only if the store was unavailable or slower than the calls: the queue holds up to 10,000 entries and 16 MiB. A process that ends its
 * store loses nothing, unless the entries cannot be written within 1.5 s.
 *
 * **When entries are written.** A flush starts at 200 entries, at 4 MiB, or 250 ms after the first entry. One flush runs at a time. It writes the
 * entries of a workspace in one transaction, in the order in which they were added, and yields to the event loop every 5 ms.
 *
 * **Errors.** While the store is unavailable, entries wait in the queue, and the flush is retried after a growing delay. An entry that fails for
 * another reason is dropped; the other entries of its transaction are then written one by one.
 */
export interface WriteBehind {
  /**
   * Adds an entry. If the queue is full, its oldest entries that may be dropped are dropped.
   *
   * @returns whether the entry was added. An entry that may not be dropped is refused while the store is unavailable, and if there is no room for it.
   * The caller must then write it itself. Every entry is refused after the end of the store.
   */
  add(entry: LateWrite): boolean;
  /** Counts a record that the caller has written itself, because old records are removed after a number of writes. */
  countWrite(workspace: string): void;
  /** Resolves when the entries that were added before are on disk, or the store is unavailable. Never rejects. */
  flush(): Promise<void>;
}

export interface WriteBehindOptions {
  /**
   * Removes records of a workspace that are too old or too many. Runs after the first flush in a workspace, after every 200 writes there, and at the
   * end. It runs outside of the queue's transactions. If it fails, the next run removes the records.
   */
  readonly removeOld?: (store: Store) => Promise<unknown>;
  /** Called when entries cannot be written or are dropped, and not again until a flush succeeds. Default: does nothing. */
  readonly onError?: (error: unknown) => void;
}

const flushDelayMs = 250;
const maxRetryDelayMs = 30_000;
/** Maximum time that the end of the store waits for the queue, in ms. */
const endTimeoutMs = 1_500;

/** Creates a queue. It is flushed before the store ends. */
export function createWriteBehind(store: Store, { removeOld, onError }: WriteBehindOptions = {}): WriteBehind {
  const entries = createLateWrites();
  const report = createErrorReport(onError);
  const removal = createLateRemoval(store, removeOld, report.failed);
  const writer = createWriter(store, { entries, removal, report });
  // Without this, a flush would run in the context of the call that started it, such as the transaction of that call.
  const inOwnContext = AsyncLocalStorage.snapshot();
  let timer: NodeJS.Timeout | undefined;
  let runningFlushes = 0;
  let hasEnded = false;
  let lastFlush: Promise<void> = Promise.resolve();

  const write = async () => {
    await writer.write(() => hasEnded);
    runningFlushes -= 1;
    void removal.run();
    schedule();
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    runningFlushes += 1;
    lastFlush = inOwnContext(() => lastFlush.then(write));
    return lastFlush;
  };
  const schedule = () => {
    if (runningFlushes > 0 || hasEnded || (entries.count() === 0 && !removal.isDue())) return;
    if (entries.isFlushDue() && writer.retryDelayMs() === 0) void flush();
    else timer ??= inOwnContext(() => setTimeout(() => void flush(), writer.retryDelayMs() || flushDelayMs).unref());
  };

  const end = async () => {
    const done = flush()
      .then(() => removal.runAll())
      .then(() => entries.count() === 0);
    const isWritten = await withTimeout(done, { ms: endTimeoutMs, onTimeout: () => false });
    hasEnded = true;
    clearTimeout(timer);
    if (!isWritten) report.failed(new Error("the store ends before all records are written"));
  };
  store.beforeEnd(end, flush);
  return {
    add(entry) {
      if (hasEnded || (!entry.mayDrop && writer.retryDelayMs() > 0)) return false;
      const { isAdded, dropped } = entries.add(entry);
      if (dropped > 0) report.dropped();
      schedule();
      return isAdded;
    },
    countWrite(workspace) {
      removal.countWrite(workspace);
      schedule();
    },
    flush,
  };
}

interface QueueState {
  readonly entries: LateWrites;
  readonly removal: LateRemoval;
  readonly report: ErrorReport;
}

/** Writes the entries of a queue, and keeps the delay before the next attempt. */
function createWriter(store: Store, { entries, removal, report }: QueueState) {
  let retryDelayMs = 0;
  return {
    /** Zero if the store is available. */
    retryDelayMs: () => retryDelayMs,
    /** Writes the entries that are in the queue now, until the store is unavailable. Never rejects. */
    async write(shouldStop: () => boolean): Promise<void> {
      let left = entries.count();
      while (left > 0 && !shouldStop()) {
        const batch = entries.take(left);
        const { written, unwritten, errors } = await writeBatch(store, batch);
        for (const { workspace } of written) removal.countWrite(workspace);
        for (const error of errors) report.failed(error);
        if (errors.length === 0) report.succeeded();
        if (entries.putBack(unwritten) > 0) report.dropped();
        const isAvailable = unwritten.length === 0;
        retryDelayMs = isAvailable ? 0 : Math.min(Math.max(2 * retryDelayMs, flushDelayMs), maxRetryDelayMs);
        left = isAvailable ? left - batch.length : 0;
      }
    },
  };
}

interface BatchResult {
  readonly written: readonly LateWrite[];
  /** The entries to retry, because the store is unavailable. */
  readonly unwritten: readonly LateWrite[];
  readonly errors: readonly unknown[];
}

/** Writes entries, in one transaction for each workspace. */
async function writeBatch(store: Store, batch: readonly LateWrite[]): Promise<BatchResult> {
  const transactions = [...Map.groupBy(batch, ({ workspace }) => workspace).values()];
  const written: LateWrite[] = [];
  const errors: unknown[] = [];
  for (let next = transactions.shift(); next !== undefined; next = transactions.shift()) {
    try {
      await writeTogether(store, next);
      written.push(...next);
    } catch (error) {
      if (isUnavailable(error)) {
        return { written, unwritten: [next, ...transactions].flat(), errors: [...errors, error] };
      }
      if (next.length > 1) transactions.unshift(...next.map((entry) => [entry]));
      else errors.push(error);
    }
  }
  return { written, unwritten: [], errors };
}

/** Whether the store is unavailable, so that the same write can succeed later. */
function isUnavailable(error: unknown): boolean {
  return ToolError.is(error) && error.code === "unavailable" && !isDamagedRecord(error);
}

/** Maximum time of writing before waiting calls run, in ms. One entry can take longer. */
const maxTurnMs = 5;

/** Writes entries of one workspace in one transaction. */
async function writeTogether(store: Store, entries: readonly LateWrite[]): Promise<void> {
  const [first] = entries;
  if (first === undefined) return;
  await store.in(first.workspace).transaction(async (inside) => {
    let turnStart = performance.now();
    for (const entry of entries) {
      await entry.write(inside);
      if (performance.now() - turnStart < maxTurnMs) continue;
      await new Promise(setImmediate);
      turnStart = performance.now();
    }
  });
}

/** Reports errors to the user of the queue, once until a flush succeeds. */
interface ErrorReport {
  readonly failed: (error: unknown) => void;
  readonly dropped: () => void;
  readonly succeeded: () => void;
}

function createErrorReport(onError: (error: unknown) => void = () => {}): ErrorReport {
  let hasFailed = false;
  let hasDropped = false;
  return {
    failed(error) {
      if (!hasFailed) onError(error);
      hasFailed = true;
    },
    dropped() {
      if (!hasDropped) onError(new Error("the write queue is full: the oldest records are dropped"));
      hasDropped = true;
    },
    succeeded() {
      hasFailed = false;
      hasDropped = false;
    },
  };
}

const maxCount = 10_000;
const maxBytes = 16 * 1_024 * 1_024;
const flushCount = 200;
const flushBytes = 4 * 1_024 * 1_024;

/** The entries of a write-behind queue that are not being written, oldest first. Bounded by count and by bytes. */
interface LateWrites {
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

function createLateWrites(): LateWrites {
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
