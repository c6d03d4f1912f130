import type { Kind } from "./kind.ts";
import type { Store, Stored } from "./store.ts";

/** What to keep of a kind, in one workspace. */
export interface Retention {
  /** The newest so many. */
  readonly keep: number;
  /** And of those, what is no older than so many days. */
  readonly days: number;
}

export interface RemoveOldOptions extends Retention {
  /** The indexed field that says when a record was made, in ISO 8601. */
  readonly time: string;
  /** Removes what belongs to a record, before it goes itself; false leaves it for now. */
  readonly before?: (record: Stored) => Promise<boolean>;
}

const day = 86_400_000;
/** The rest goes at a later time. */
const mostAtOnce = 1_000;
/** So many are removed in one transaction, so that nobody waits long for the lock. */
const mostTogether = 100;

/**
 * Removes records for good that are too many or too old, the oldest first; at most 1,000.
 *
 * @returns how many were removed
 */
export async function removeOld(
  store: Store,
  kind: Kind,
  { keep, days, time, before }: RemoveOldOptions,
): Promise<number> {
  const query = { limit: mostAtOnce, includeClosed: true, ...(before === undefined && { fields: [] }) };
  const since = new Date(Date.now() - days * day).toISOString();
  const aged = await store.query(kind, { ...query, filter: { [time]: { lt: since } }, sort: [time] });
  const { total } = await store.query(kind, { limit: 0, includeClosed: true });
  const surplus = Math.min(mostAtOnce, total - keep);
  const oldest = surplus > 0 ? (await store.query(kind, { ...query, limit: surplus })).items : [];
  const unwanted = [...new Map([...aged.items, ...oldest].map((record) => [record.id, record])).values()];
  let removed = 0;
  for (let at = 0; at < unwanted.length; at += mostTogether) {
    const ids: string[] = [];
    for (const record of unwanted.slice(at, at + mostTogether)) {
      if (before === undefined || (await before(record))) ids.push(record.id);
    }
    if (ids.length === 0) continue;
    await store.transaction(async (inside) => {
      for (const id of ids) await inside.delete(kind, id);
    });
    removed += ids.length;
    await new Promise(setImmediate);
  }
  return removed;
}
