import type { Kind, Store, Stored } from "@toolpacks/core";
import type { z } from "zod";

/**
 * Creates a record if it is missing, and reopens it if it is closed. An open record stays unchanged.
 *
 * @returns the record before this call; undefined if this call created it
 */
export async function ensureRecord<K extends Kind>(
  store: Store,
  kind: K,
  { id, record }: { readonly id: string; readonly record: z.input<K["schema"]> },
): Promise<Stored<z.output<K["schema"]>> | undefined> {
  const before = await store.get(kind, id);
  if (before === undefined) await store.put(kind, record, { id });
  else if (before.closed) await store.reopen(kind, id);
  return before;
}
