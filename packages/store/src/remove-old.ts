import type { Kind, Page, Store, Stored, Query } from "@toolpacks/core";

/** Which records of a kind to keep in one workspace. */
export interface Retention {
  /** Maximum number of records. The newest are kept. */
  readonly keep: number;
  /** Maximum age of a record in days. */
  readonly days: number;
}

export interface RemoveOldOptions extends Retention {
  /** The indexed field with the time of a record, in ISO 8601. */
  readonly time: string;
  /** Removes data that belongs to a record before the record is removed. If it returns false, the record is kept for now. */
  readonly beforeRemove?: (record: Stored) => Promise<boolean>;
}

const dayMs = 86_400_000;
/** Maximum number of records that one call removes for each reason. Later calls remove the rest. */
const maxPerPass = 1_000;
/** Number of records per transaction, so that other writers do not wait long for the lock. */
const maxBatch = 100;

/**
 * Deletes records that are too old or too many, the oldest first. Deletes at most 1,000 for each reason.
 *
 * @returns the number of deleted records
 */
export async function removeOld(store: Store, kind: Kind, options: RemoveOldOptions): Promise<number> {
  const { keep, days, time } = options;
  const since = new Date(Date.now() - days * dayMs).toISOString();
  // Ids order records of the same millisecond by age.
  const oldestFirst = [time, "id"];
  const tooOld = { filter: { [time]: { lt: since } }, sort: oldestFirst };
  const removed = await removeFirst(store, kind, { ...options, query: tooOld, maxRecords: maxPerPass });
  const { total } = await store.query(kind, { limit: 0, includeClosed: true });
  const surplus = Math.min(maxPerPass, total - keep);
  return removed + (await removeFirst(store, kind, { ...options, query: { sort: oldestFirst }, maxRecords: surplus }));
}

interface RemoveFirst extends Pick<RemoveOldOptions, "beforeRemove"> {
  readonly query: Query;
  /** Maximum number of records that are read. */
  readonly maxRecords: number;
}

async function removeFirst(
  store: Store,
  kind: Kind,
  { query, maxRecords, beforeRemove }: RemoveFirst,
): Promise<number> {
  const fields = beforeRemove === undefined ? [] : undefined;
  const wanted = { ...query, includeClosed: true, skipDamaged: true, fields };
  let removed = 0;
  let cursor: string | undefined;
  for (let left = maxRecords; left > 0; left -= maxBatch) {
    const limit = Math.min(left, maxBatch);
    const page: Page = await store.query(kind, { ...wanted, limit, cursor });
    const ids: string[] = [];
    for (const record of page.items)
      if (beforeRemove === undefined || (await beforeRemove(record))) ids.push(record.id);
    if (ids.length > 0) {
      await store.transaction(async (inside) => {
        for (const id of ids) await inside.delete(kind, id);
      });
      await new Promise(setImmediate);
    }
    removed += ids.length;
    ({ cursor } = page);
    if (cursor === undefined) break;
  }
  return removed;
}
