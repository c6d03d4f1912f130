import type { Kind, Store, Stored } from "@toolpacks/core";
import type { z } from "zod";

/** The id and the content of a record to create if it is missing. */
export interface WantedRecord<K extends Kind> {
  readonly id: string;
  readonly record: z.input<K["schema"]>;
}

/**
 * Creates a record if it is missing, and reopens it if it is closed. An open record stays unchanged.
 *
 * @returns the record before this call; undefined if this call created it
 */
export async function ensureRecord<K extends Kind>(
  store: Store,
  kind: K,
  { id, record }: WantedRecord<K>,
): Promise<Stored<z.output<K["schema"]>> | undefined> {
  const before = await store.get(kind, id);
  if (before === undefined) await store.put(kind, record, { id });
  else if (before.closed) await store.reopen(kind, id);
  return before;
}
