import type { z } from "zod";
import type { Kind, Store, Stored } from "./store.ts";
import type { Query } from "./query.ts";

/** A query but for what says how much of it one answer holds. */
export interface UnpagedQuery extends Omit<Query, "limit" | "countAll" | "compaction" | "cursor"> {
  /**
   * How many records are read, and held in memory, at a time: 1 to 1,000. They are read whole, whatever `fields` says, so it should be small
   * where they may be large. Default 1,000: each page counts its matches anew.
   */
  readonly pageSize?: number;
}

/**
 * Every record that a query finds, in its order, whatever their number. They are read a page at a time, as far as they are asked for.
 * While others write, a record that matches throughout and keeps its place in the order comes exactly once; within a transaction nobody does.
 *
 * @example for await (const { id, data } of everyRecord(store, note, { sort: ["due"] })) console.log(id, data.text);
 * @example const notes = await Array.fromAsync(everyRecord(store, note));
 * @throws what `Store.query` rejects with, and RangeError for a page of less than one record
 */
export async function* everyRecord<K extends Kind>(
  store: Pick<Store, "query">,
  kind: K,
  { pageSize: limit = 1_000, ...query }: UnpagedQuery = {},
): AsyncGenerator<Stored<z.output<K["schema"]>>> {
  // A query that is limited to 0 counts, and would look like one that finds nothing.
  if (limit < 1) throw new RangeError(`pageSize: expected 1 to 1,000, received ${limit}`);
  for (let cursor: string | undefined; ;) {
    const page = await store.query(kind, { ...query, limit, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}
