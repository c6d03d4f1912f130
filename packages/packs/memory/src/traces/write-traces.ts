import type { Store } from "@toolpacks/core";
import { newRecordId, removeOld } from "@toolpacks/core/store";
import { condenseCall, type EndedCall, type TraceRecord } from "./condense-call.ts";
import type { TracesOptions } from "./traces-options.ts";
import { batchSize, keepBatches, unpackBatches } from "./trace-batch.ts";
import { trace } from "./trace.ts";

const defaultKeep = 10_000;
const defaultDays = 30;

/** Which traces to keep, and whether this is a moment to write them. */
export interface Writing extends TracesOptions {
  /** Asked now and then; what is not written by then waits. Default: it is. */
  readonly isWelcome?: () => boolean;
}

/**
 * Writes calls as traces, some at once, and removes what is older or more than is kept.
 *
 * @returns the calls that were not written, because it was not welcome any more
 */
export async function writeTraces(
  store: Store,
  calls: readonly EndedCall[],
  options: Writing,
): Promise<readonly EndedCall[]> {
  const { isWelcome = () => true } = options;
  const left: EndedCall[] = [];
  for (const [workspace, ofWorkspace] of Map.groupBy(calls, (call) => call.workspace)) {
    const inside = store.in(workspace);
    for (let at = 0; at < ofWorkspace.length; at += batchSize) {
      const some = ofWorkspace.slice(at, at + batchSize);
      if (!isWelcome()) {
        left.push(...some);
        continue;
      }
      const records = await condensed(some);
      await inside.transaction(async (transaction) => {
        for (const { id, record } of records) await transaction.put(trace, record, { id });
      });
      await breathe();
    }
    if (isWelcome()) await removeOldTraces(inside, options);
  }
  return left;
}

/** Keeps calls where they cost little, until `unpackTraces`. */
export async function packTraces(store: Store, calls: readonly EndedCall[], options: TracesOptions): Promise<void> {
  for (const [workspace, ofWorkspace] of Map.groupBy(calls, (call) => call.workspace)) {
    const records: TraceRecord[] = [];
    for (let at = 0; at < ofWorkspace.length; at += batchSize) {
      records.push(...(await condensed(ofWorkspace.slice(at, at + batchSize))));
      await breathe();
    }
    await keepBatches(store.in(workspace), records, options.keep ?? defaultKeep);
  }
}

/**
 * Makes traces of what any process has packed.
 *
 * @returns whether some may be left, because it was not welcome any more
 */
export async function unpackTraces(store: Store, options: Writing): Promise<boolean> {
  const { changed, more } = await unpackBatches(store, options.isWelcome ?? (() => true));
  for (const workspace of changed) await removeOldTraces(store.in(workspace), options);
  return more;
}

/** A call that came meanwhile goes before the rest. */
async function breathe(): Promise<void> {
  await new Promise(setImmediate);
}

async function condensed(calls: readonly EndedCall[]): Promise<readonly TraceRecord[]> {
  const records: TraceRecord[] = [];
  for (const call of calls) {
    const storeGeneration = await call.storeGeneration;
    const record = { ...condenseCall(call), ...(storeGeneration !== undefined && { storeGeneration }) };
    records.push({ id: traceId(call), record });
  }
  return records;
}

const ids = new WeakMap<EndedCall, string>();

/** The same at every try, so that what a failed one wrote is not written twice. */
function traceId(call: EndedCall): string {
  const id = ids.get(call) ?? newRecordId();
  ids.set(call, id);
  return id;
}

async function removeOldTraces(store: Store, { keep = defaultKeep, days = defaultDays }: TracesOptions): Promise<void> {
  await removeOld(store, trace, { keep, days, time: "at" });
}
