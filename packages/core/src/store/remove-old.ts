import type { Kind, Page, Store, Stored } from "./store.ts";
import type { Query } from "./query.ts";

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
  readonly beforeRemove?: (record: Stored) => Promise<boolean>;
}

const day = 86_400_000;
/** The rest goes at a later time. */
const maxPerPass = 1_000;
/** So many are read and removed together, so that nobody waits long for the lock. */
const maxBatch = 100;

/**
 * Removes records for good that are too many or too old, the oldest first; about 1,000 at most.
 *
 * @returns how many were removed
 */
export async function removeOld(store: Store, kind: Kind, options: RemoveOldOptions): Promise<number> {
  const { keep, days, time } = options;
  const since = new Date(Date.now() - days * day).toISOString();
  const aged = { filter: { [time]: { lt: since } }, sort: [time] };
  const removed = await removeFirst(store, kind, { ...options, query: aged, most: maxPerPass });
  const { total } = await store.query(kind, { limit: 0, includeClosed: true });
  const surplus = Math.min(maxPerPass, total - keep);
  return removed + (await removeFirst(store, kind, { ...options, query: {}, most: surplus }));
}

interface RemoveFirst extends Pick<RemoveOldOptions, "beforeRemove"> {
  readonly query: Query;
  /** At most so many are looked at. */
  readonly most: number;
}

async function removeFirst(store: Store, kind: Kind, { query, most, beforeRemove }: RemoveFirst): Promise<number> {
  const wanted = {
    ...query,
    includeClosed: true,
    skipDamaged: true,
    ...(beforeRemove === undefined && { fields: [] }),
  };
  let removed = 0;
  let cursor: string | undefined;
  for (let left = most; left > 0; left -= maxBatch) {
    const limit = Math.min(left, maxBatch);
    const page: Page = await store.query(kind, { ...wanted, limit, ...(cursor !== undefined && { cursor }) });
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
