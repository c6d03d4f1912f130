import { AsyncLocalStorage } from "node:async_hooks";
import type { Store } from "@toolpacks/core";
import type { DriverTransaction } from "./driver.ts";
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

/** A transaction that notes versions if the running work keeps them, and what keeps them before its commit. */
export function notingVersions(opened: DriverTransaction) {
  const keep = keepers.getStore();
  if (keep === undefined) return { transaction: opened, keep: async () => {} };
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
  const transaction = { ...opened, savepoint, note: (version: RecordVersion) => versions.push(version) };
  return { transaction, keep: (local: () => Store) => keep(versions, local()) };
}
