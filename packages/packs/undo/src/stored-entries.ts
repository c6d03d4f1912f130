import type { Store } from "@toolpacks/core";
import { everyRecord, newRecordId, removeValue } from "@toolpacks/store";
import { contentsOf, entryKind, type Entry, type KeptEntry } from "./entry.ts";

/** The id of the record that says what was dropped. */
export const droppedId = "dropped";
const maxEntryBytes = 8_000_000;

/** Every entry, the newest first, also of calls that have not ended. */
export async function* storedEntries(local: Store): AsyncGenerator<KeptEntry> {
  const query = { sort: ["-id"], pageSize: 100, skipDamaged: true };
  for await (const { id, data, generation } of everyRecord(local, entryKind, query))
    if (id !== droppedId) yield { ...(data as unknown as Entry), id, generation };
}

/** Writes an entry, such as in the transaction of its records. */
export async function putEntry(local: Store, entry: Entry, id = newRecordId()): Promise<void> {
  const isTooMuch = JSON.stringify(entry).length > maxEntryBytes;
  const kept = isTooMuch ? { ...entry, files: undefined, records: undefined, problem: "it changed too much" } : entry;
  await local.put(entryKind, { ...kept, contents: [...contentsOf(kept).keys()] }, { id });
}

/** Writes or deletes an entry, and removes the old contents that no entry needs any more. */
export async function replaceEntry(local: Store, id: string, entry: Entry | undefined): Promise<void> {
  await local.transaction(async (inside) => {
    const contents = (await inside.get(entryKind, id))?.data.contents ?? [];
    if (entry === undefined) await inside.delete(entryKind, id);
    else await putEntry(inside, entry, id);
    for (const content of contents) {
      const { total } = await inside.query(entryKind, { filter: { contents: { contains: content } }, limit: 0 });
      if (total === 0) await removeValue(inside, content);
    }
  });
}
