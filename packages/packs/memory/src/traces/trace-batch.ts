import { defineKind, ToolError, type Store } from "@toolpacks/core";
import { z } from "zod";
import type { TraceRecord } from "./condense-call.ts";
import { trace } from "./trace.ts";

/** Many traces packed into one record. It has no index and no full text, so that it is cheap to write; searches do not find its traces. */
const traceBatch = defineKind({
  name: "trace_batch",
  schema: z.object({ traces: z.string().describe("as JSON") }),
});

/** Number of traces in a batch and in a transaction. It is small, because calls wait during a transaction. */
export const batchSize = 25;

/** Writes traces of one workspace as batches. Deletes the oldest batches beyond `keep` traces. */
export async function writeBatches(store: Store, records: readonly TraceRecord[], keep: number): Promise<void> {
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
 * Unpacks the batches of all processes into traces.
 *
 * @param shouldContinue called before each batch; once it returns false, the rest stay packed
 * @returns the workspaces with new traces, and whether batches may be left
 */
export async function unpackBatches(
  store: Store,
  shouldContinue: () => boolean,
): Promise<{ readonly changed: ReadonlySet<string>; readonly more: boolean }> {
  const changed = new Set<string>();
  while (shouldContinue()) {
    const { items } = await store.query(traceBatch, { everyWorkspace: true, limit: 1, fields: [] });
    const [batch] = items;
    if (batch === undefined) return { changed, more: false };
    await store.in(batch.workspace).transaction(async (inside) => {
      // Only the process that deletes the batch unpacks it.
      const records = await readBatch(inside, batch.id);
      if (!(await inside.delete(traceBatch, batch.id))) return;
      for (const { id, record } of records) await putTrace(inside, id, record);
    });
    changed.add(batch.workspace);
    // Waiting calls run before the next batch.
    await new Promise(setImmediate);
  }
  return { changed, more: true };
}

/** Reads the traces of a batch. A damaged batch has none, so that it does not block the later ones. */
async function readBatch(store: Store, id: string): Promise<readonly TraceRecord[]> {
  const { items } = await store.query(traceBatch, { filter: { id }, limit: 1, skipDamaged: true });
  try {
    return z.array(batchedTrace).parse(JSON.parse(items[0]?.data.traces ?? "[]")) as TraceRecord[];
  } catch {
    return [];
  }
}

const batchedTrace = z.object({ id: z.string(), record: z.looseObject({}) });

/** Writes a trace. Skips an invalid one: its batch is damaged. */
async function putTrace(store: Store, id: string, record: TraceRecord["record"]): Promise<void> {
  try {
    await store.put(trace, record, { id });
  } catch (error) {
    if (!ToolError.is(error) || error.code !== "invalid_input") throw error;
  }
}
