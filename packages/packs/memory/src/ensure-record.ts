import type { Kind, Store, Stored } from "@toolpacks/core";
import type { z } from "zod";

/** A record as it is made where there is none. */
export interface WantedRecord<K extends Kind> {
  readonly id: string;
  readonly record: z.input<K["schema"]>;
}

/**
 * Sees to it that a record is there and open: makes it, opens it again, or leaves it as it is.
 *
 * @returns the record as it was before; undefined where it was made
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
