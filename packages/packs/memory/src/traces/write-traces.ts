import type { Store } from "@toolpacks/core";
import { condenseCall, type EndedCall } from "./condense-call.ts";
import type { TracesOptions } from "./create-traces.ts";
import { trace } from "./trace.ts";

const defaultKeep = 10_000;
const defaultDays = 30;
const day = 86_400_000;
/** Old ones go some at a time, so that none waits long for the lock. */
const mostRemoved = 1_000;

/** Writes calls as traces, those of a workspace in one transaction, and removes what is older or more than is kept. */
export async function writeTraces(store: Store, calls: readonly EndedCall[], options: TracesOptions): Promise<void> {
  for (const [workspace, ofWorkspace] of Map.groupBy(calls, (call) => call.workspace)) {
    const records: ReturnType<typeof condenseCall>[] = [];
    for (const call of ofWorkspace) {
      const storeGeneration = await call.storeGeneration;
      records.push({ ...condenseCall(call), ...(storeGeneration !== undefined && { storeGeneration }) });
    }
    const inside = store.in(workspace);
    await inside.transaction(async (transaction) => {
      for (const record of records) await transaction.put(trace, record);
    });
    await removeOld(inside, options);
  }
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
