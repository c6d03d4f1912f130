import { defineKind, ToolError, type Store } from "@toolpacks/core";
import { z } from "zod";
import type { TraceRecord } from "./condense-call.ts";
import { trace } from "./trace.ts";

/** Traces that are kept but cannot be found yet: one record for many of them, with no index and no words, costs a busy server next to nothing. */
const traceBatch = defineKind({
  name: "trace_batch",
  schema: z.object({ traces: z.string().describe("as JSON") }),
});

/** So many become traces in one transaction: a millisecond or two, in which a call that comes has to wait. */
export const batchSize = 25;

/** Keeps traces of one workspace in batches, and lets the oldest go where there are more than are kept. */
export async function keepBatches(store: Store, records: readonly TraceRecord[], keep: number): Promise<void> {
  await store.transaction(async (inside) => {
    for (let at = 0; at < records.length; at += batchSize) {
      await inside.put(traceBatch, { traces: JSON.stringify(records.slice(at, at + batchSize)) });
    }
    const { total } = await inside.query(traceBatch, { limit: 0 });
    const surplus = total - Math.ceil(keep / batchSize);
    if (surplus <= 0) return;
    const { items } = await inside.query(traceBatch, { limit: Math.min(surplus, 1_000), fields: [] });
    for (const { id } of items) await inside.delete(traceBatch, id);
  });
}

/**
 * Makes traces of every batch, whichever process kept it.
 *
 * @param isWelcome asked before each batch; the rest stay batches
 * @returns the workspaces that traces came to, and whether there may be more
 */
export async function unpackBatches(
  store: Store,
  isWelcome: () => boolean,
): Promise<{ readonly changed: ReadonlySet<string>; readonly more: boolean }> {
  const changed = new Set<string>();
  while (isWelcome()) {
    const { items } = await store.query(traceBatch, { everyWorkspace: true, limit: 1, fields: [] });
    const [batch] = items;
    if (batch === undefined) return { changed, more: false };
    await store.in(batch.workspace).transaction(async (inside) => {
      // Of several processes that see a batch, one takes it.
      const records = await readBatch(inside, batch.id);
      if (!(await inside.delete(traceBatch, batch.id))) return;
      for (const { id, record } of records) await putTrace(inside, id, record);
    });
    changed.add(batch.workspace);
    // A call that came meanwhile goes before the rest.
    await new Promise(setImmediate);
  }
  return { changed, more: true };
}

/** The traces of a batch. None where the batch is damaged: it would otherwise be in the way of all later ones. */
async function readBatch(store: Store, id: string): Promise<readonly TraceRecord[]> {
  const { items } = await store.query(traceBatch, { filter: { id }, limit: 1, skipDamaged: true });
  try {
    return z.array(batchedTrace).parse(JSON.parse(items[0]?.data.traces ?? "[]")) as TraceRecord[];
  } catch {
    return [];
  }
}

const batchedTrace = z.object({ id: z.string(), record: z.looseObject({}) });

/** A trace that the kind does not admit is of a damaged batch, and left out. */
async function putTrace(store: Store, id: string, record: TraceRecord["record"]): Promise<void> {
  try {
    await store.put(trace, record, { id });
  } catch (error) {
    if (!ToolError.is(error) || error.code !== "invalid_input") throw error;
  }
}
