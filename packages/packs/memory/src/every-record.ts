import type { Kind, Query, Store, Stored } from "@toolpacks/core";
import type { z } from "zod";

const pageSize = 500;

/** Every record that a query finds, over all its pages. */
export async function everyRecord<K extends Kind>(
  store: Store,
  kind: K,
  query: Query,
): Promise<readonly Stored<z.output<K["schema"]>>[]> {
  const found: Stored<z.output<K["schema"]>>[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.query(kind, { ...query, limit: pageSize, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) return found;
  }
}
