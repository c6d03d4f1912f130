import { AsyncLocalStorage } from "node:async_hooks";
import { ToolError, withTimeout, type Store } from "@toolpacks/core";
import { isDamagedRecord } from "./damaged-record.ts";

/** An entry of a write-behind queue. */
export interface LateWrite {
  readonly workspace: string;
  /** Approximate memory that the entry keeps, in bytes. */
  readonly bytes: number;
  /** Writes records in a transaction of the workspace. Runs again after a failed transaction, so it must write the same records. */
  write(store: Store): Promise<unknown>;
  /** Called after the commit. */
  written?(): void;
}

/**
 * A queue of records that are written after the response, such as traces: every 250 ms, in one transaction for each workspace. While the store is
 * unavailable, entries wait. An entry that fails for another reason is dropped. A killed process loses the entries of its last 250 ms; if the store was
 * unavailable or slow, up to 10,000 entries and 16 MiB.
 */
export interface WriteBehind {
  /** Adds an entry, which is written before the store ends. It is dropped if the queue is full, or the store has ended. */
  add(entry: LateWrite): void;
  /** Resolves when the entries that were added before are on disk, or the store is unavailable. Never rejects. */
  flush(): Promise<void>;
}

export interface WriteBehindOptions {
  /** Removes records of a workspace that are too old or too many. Runs after the first write in a workspace and after every 200 writes there. */
  readonly removeOld?: (store: Store) => Promise<unknown>;
  /** Called when entries cannot be written or are dropped, and not again until a flush succeeds. Default: does nothing. */
  readonly onError?: (error: unknown) => void;
}

const flushDelayMs = 250;
const endTimeoutMs = 1_500;
const maxEntries = 10_000;
const maxBytes = 16 * 1_024 * 1_024;
const writesPerRemoval = 200;

export function createWriteBehind(store: Store, { removeOld, onError }: WriteBehindOptions = {}): WriteBehind {
  let entries: LateWrite[] = [];
  let bytes = 0;
  const writes = new Map<string, number>();
  let [isReported, hasFailed, hasEnded] = [false, false, false];
  let timer: NodeJS.Timeout | undefined;
  let lastFlush = Promise.resolve();
  let removal: Promise<unknown> = lastFlush;
  // Without this, a flush would run in the transaction of the call that started it.
  const inOwnContext = AsyncLocalStorage.snapshot();
  const report = (error: unknown) => {
    if (!isReported) onError?.(error);
    isReported = hasFailed = true;
  };
  const countWrite = (workspace: string) => {
    const count = (writes.get(workspace) ?? writesPerRemoval - 1) + 1;
    writes.set(workspace, count % writesPerRemoval);
    if (count < writesPerRemoval || hasEnded) return;
    removal = inOwnContext(() => removal.then(() => removeOld?.(store.in(workspace))).catch(report));
  };
  const write = async () => {
    hasFailed = false;
    for (const [workspace, group] of Map.groupBy(entries.splice(0), (entry) => entry.workspace)) {
      const unwritten = await writeGroup(store, group, report);
      entries.unshift(...unwritten);
      for (let at = unwritten.length; at < group.length; at += 1) countWrite(workspace);
    }
    isReported &&= hasFailed;
    bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    schedule();
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    return (lastFlush = inOwnContext(() => lastFlush.then(write)));
  };
  const schedule = () => {
    if (entries.length === 0 || hasEnded) return;
    timer ??= inOwnContext(() => setTimeout(() => void flush(), flushDelayMs).unref());
  };
  const end = async () => {
    const done = flush().then(() => removal);
    await withTimeout(done, { ms: endTimeoutMs, onTimeout: () => {} });
    hasEnded = true;
    clearTimeout(timer);
    if (bytes > 0) report(new Error("the store ends before all records are written"));
  };
  store.beforeEnd(end, flush);
  const add = (entry: LateWrite) => {
    const isFull = entries.length >= maxEntries || bytes + entry.bytes > maxBytes;
    if (isFull) report(new Error("the write queue is full: new records are dropped"));
    if (isFull || hasEnded) return;
    entries.push(entry);
    bytes += entry.bytes;
    schedule();
  };
  return { add, flush };
}

/** Writes entries in one transaction, or one by one if that fails. Returns the entries to retry when the store is unavailable. */
async function writeGroup(store: Store, group: LateWrite[], report: (error: unknown) => void): Promise<LateWrite[]> {
  try {
    await store.in(group[0]?.workspace ?? "").transaction(async (inside) => {
      for (const [at, entry] of group.entries()) {
        // A store may write without yielding to the event loop.
        if (at % 5 === 4) await new Promise(setImmediate);
        await entry.write(inside);
      }
    });
    for (const entry of group) entry.written?.();
    return [];
  } catch (error) {
    report(error);
    if (ToolError.is(error) && error.code === "unavailable" && !isDamagedRecord(error)) return group;
    const alone = group.length > 1 ? group : [];
    return (await Array.fromAsync(alone, (entry) => writeGroup(store, [entry], report))).flat();
  }
}
