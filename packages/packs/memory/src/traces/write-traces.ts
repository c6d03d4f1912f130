import type { Store } from "@toolpacks/core";
import { newRecordId } from "@toolpacks/core/store";
import { condenseCall, type EndedCall } from "./condense-call.ts";
import type { TracesOptions } from "./create-traces.ts";
import { trace } from "./trace.ts";

const defaultKeep = 10_000;
const defaultDays = 30;
const day = 86_400_000;
/** So many are written in one go: some milliseconds, in which a call that comes has to wait. */
const mostAtOnce = 20;
/** Old ones go some at a time, so that none waits long for the lock. */
const mostRemoved = 1_000;

/** Writes calls as traces, some at once, and removes what is older or more than is kept. */
export async function writeTraces(store: Store, calls: readonly EndedCall[], options: TracesOptions): Promise<void> {
  for (const [workspace, ofWorkspace] of Map.groupBy(calls, (call) => call.workspace)) {
    const records: { readonly id: string; readonly record: ReturnType<typeof condenseCall> }[] = [];
    for (const call of ofWorkspace) {
      const storeGeneration = await call.storeGeneration;
      const record = { ...condenseCall(call), ...(storeGeneration !== undefined && { storeGeneration }) };
      records.push({ id: traceId(call), record });
    }
    const inside = store.in(workspace);
    for (let at = 0; at < records.length; at += mostAtOnce) {
      await inside.transaction(async (transaction) => {
        for (const { id, record } of records.slice(at, at + mostAtOnce)) await transaction.put(trace, record, { id });
      });
      // A call that came meanwhile goes before the rest.
      await new Promise(setImmediate);
    }
    await removeOld(inside, options);
  }
}

const ids = new WeakMap<EndedCall, string>();

/** The same at every try, so that what a failed one wrote is not written twice. */
function traceId(call: EndedCall): string {
  const id = ids.get(call) ?? newRecordId();
  ids.set(call, id);
  return id;
}

async function removeOld(store: Store, { keep = defaultKeep, days = defaultDays }: TracesOptions): Promise<void> {
  const before = new Date(Date.now() - days * day).toISOString();
  const outdated = await store.query(trace, {
    filter: { at: { lt: before } },
    sort: ["at"],
    limit: mostRemoved,
    fields: [],
  });
  const { total } = await store.query(trace, { limit: 0 });
  const surplus = Math.min(mostRemoved, total - keep);
  const oldest = surplus > 0 ? (await store.query(trace, { limit: surplus, fields: [] })).items : [];
  const ids = new Set([...outdated.items, ...oldest].map(({ id }) => id));
  if (ids.size === 0) return;
  await store.transaction(async (transaction) => {
    for (const id of ids) await transaction.delete(trace, id);
  });
}
