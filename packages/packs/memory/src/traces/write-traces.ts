import type { Store } from "@toolpacks/core";
import { newRecordId, removeOld } from "@toolpacks/core/store";
import { condenseCall, type EndedCall, type TraceRecord } from "./condense-call.ts";
import type { TracesOptions } from "./traces-options.ts";
import { batchSize, writeBatches, unpackBatches } from "./trace-batch.ts";
import { trace } from "./trace.ts";

const defaultKeep = 10_000;
const defaultDays = 30;

/** Which traces to keep, and when to stop writing. */
export interface TraceWriteOptions extends TracesOptions {
  /** Called between batches. Once it returns false, the rest is not written. Default: always true. */
  readonly shouldContinue?: () => boolean;
}

/**
 * Writes calls as traces in batches. Then removes traces that are too old or too many.
 *
 * @returns the calls that were not written, because `shouldContinue` returned false
 */
export async function writeTraces(
  store: Store,
  calls: readonly EndedCall[],
  options: TraceWriteOptions,
): Promise<readonly EndedCall[]> {
  const { shouldContinue = () => true } = options;
  const left: EndedCall[] = [];
  for (const [workspace, ofWorkspace] of Map.groupBy(calls, (call) => call.workspace)) {
    const inside = store.in(workspace);
    for (let at = 0; at < ofWorkspace.length; at += batchSize) {
      const some = ofWorkspace.slice(at, at + batchSize);
      if (!shouldContinue()) {
        left.push(...some);
        continue;
      }
      const records = await condenseCalls(some);
      await inside.transaction(async (transaction) => {
        for (const { id, record } of records) await transaction.put(trace, record, { id });
      });
      await yieldToEventLoop();
    }
    if (shouldContinue()) await removeOldTraces(inside, options);
  }
  return left;
}

/** Writes calls as batches, which `unpackTraces` turns into traces. */
export async function packTraces(store: Store, calls: readonly EndedCall[], options: TracesOptions): Promise<void> {
  for (const [workspace, ofWorkspace] of Map.groupBy(calls, (call) => call.workspace)) {
    const records: TraceRecord[] = [];
    for (let at = 0; at < ofWorkspace.length; at += batchSize) {
      records.push(...(await condenseCalls(ofWorkspace.slice(at, at + batchSize))));
      await yieldToEventLoop();
    }
    await writeBatches(store.in(workspace), records, options.keep ?? defaultKeep);
  }
}

/**
 * Unpacks the batches of all processes into traces, and removes traces that are too old or too many.
 *
 * @returns whether batches may be left, because `shouldContinue` returned false
 */
export async function unpackTraces(store: Store, options: TraceWriteOptions): Promise<boolean> {
  const { changed, more } = await unpackBatches(store, options.shouldContinue ?? (() => true));
  for (const workspace of changed) await removeOldTraces(store.in(workspace), options);
  return more;
}

/** Lets waiting calls run first. */
async function yieldToEventLoop(): Promise<void> {
  await new Promise(setImmediate);
}

async function condenseCalls(calls: readonly EndedCall[]): Promise<readonly TraceRecord[]> {
  const records: TraceRecord[] = [];
  for (const call of calls) {
    const storeGeneration = await call.storeGeneration;
    const record = { ...condenseCall(call), ...(storeGeneration !== undefined && { storeGeneration }) };
    records.push({ id: traceId(call), record });
  }
  return records;
}

const ids = new WeakMap<EndedCall, string>();

/** The id of a call's trace. Retries use the same id, so that no trace is written twice. */
function traceId(call: EndedCall): string {
  const id = ids.get(call) ?? newRecordId();
  ids.set(call, id);
  return id;
}

async function removeOldTraces(store: Store, { keep = defaultKeep, days = defaultDays }: TracesOptions): Promise<void> {
  await removeOld(store, trace, { keep, days, time: "at" });
}
