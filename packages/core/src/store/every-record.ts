import type { z } from "zod";
import type { Kind } from "./kind.ts";
import type { Query } from "./query.ts";
import type { Store, Stored } from "./store.ts";

/** A query but for what says how much of it one answer holds. */
export type UnpagedQuery = Omit<Query, "limit" | "countAll" | "compaction" | "cursor">;

/** The most that a page may hold: each page counts its matches anew. */
const limit = 1_000;

/**
 * Every record that a query finds, in its order, whatever their number. They are read a page at a time, as far as they are asked for.
 * While others write, a record that matches throughout and keeps its place in the order comes exactly once; within a transaction nobody does.
 *
 * @example for await (const { id, data } of everyRecord(store, note, { sort: ["due"] })) console.log(id, data.text);
 * @example const notes = await Array.fromAsync(everyRecord(store, note));
 * @throws what `Store.query` rejects with
 */
export async function* everyRecord<K extends Kind>(
  store: Pick<Store, "query">,
  kind: K,
  query: UnpagedQuery = {},
): AsyncGenerator<Stored<z.output<K["schema"]>>> {
  for (let cursor: string | undefined; ;) {
    const page = await store.query(kind, { ...query, limit, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}
