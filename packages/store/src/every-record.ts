import type { z } from "zod";
import type { Kind, Store, Stored, Query } from "@toolpacks/core";

/** A query without the fields that control paging. */
export interface UnpagedQuery extends Omit<Query, "limit" | "countTo" | "compaction" | "cursor"> {
  /**
   * Number of records that are read and kept in memory at a time, 1 to 1,000. Complete records are read even if `fields` is set, so use a smaller
   * number for large records. Default 1,000.
   */
  readonly pageSize?: number;
}

/**
 * Every record that a query finds, in its order. Pages are read on demand. If other callers write meanwhile, a record that always matches and keeps
 * its position is returned exactly once.
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
  // A query with limit 0 only counts, and would look like one without matches.
  if (limit < 1) throw new RangeError(`pageSize: expected 1 to 1,000, received ${limit}`);
  for (let cursor: string | undefined; ;) {
    const page = await store.query(kind, { ...query, limit, countTo: 1, cursor });
    yield* page.items;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}
