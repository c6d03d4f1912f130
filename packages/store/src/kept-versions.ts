import { AsyncLocalStorage } from "node:async_hooks";
import type { Store } from "@toolpacks/core";
import type { DriverTransaction } from "./driver.ts";
import { endedTransactions } from "./driver-access.ts";
import type { RecordVersion } from "./record-version.ts";

/**
 * Keeps the versions that a transaction has written, in order, just before its commit. May run again with the transaction.
 *
 * @param local the store's local view, in the same transaction
 */
export type KeepVersions = (versions: readonly RecordVersion[], local: Store) => Promise<void>;

const keepers = new AsyncLocalStorage<KeepVersions>();

/** Runs work. `keep` is called at the end of each transaction in it, of any store. */
export function keepVersions<T>(keep: KeepVersions, work: () => T): T {
  return keepers.run(keep, work);
}

/** Runs all work of a transaction. If versions are kept, they are noted. @param local opens the local view in the transaction */
export async function notingVersions<T>(
  opened: DriverTransaction,
  local: () => Store,
  work: (transaction: DriverTransaction) => Promise<T>,
): Promise<T> {
  const keep = keepers.getStore();
  const versions: RecordVersion[] = [];
  const savepoint: DriverTransaction["savepoint"] = async (inner) => {
    const count = versions.length;
    try {
      return await opened.savepoint(inner);
    } catch (error) {
      versions.length = count;
      throw error;
    }
  };
  const noting = { ...opened, savepoint, note: (version: RecordVersion) => versions.push(version) };
  const transaction = keep === undefined ? opened : noting;
  try {
    const result = await work(transaction);
    await keep?.(versions, local());
    return result;
  } finally {
    endedTransactions.add(transaction);
  }
}
