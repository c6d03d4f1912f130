import { AsyncLocalStorage } from "node:async_hooks";
import type { DriverTransaction } from "./driver.ts";
import type { RecordVersion } from "./record-version.ts";

/** Keeps the versions that a transaction has written, in order, just before its commit. Must not throw. */
export type KeepVersions = (versions: readonly RecordVersion[]) => void;

const keepers = new AsyncLocalStorage<KeepVersions>();

/** Runs work. `keep` is called for each transaction in it that writes records, of any store. */
export function keepVersions<T>(keep: KeepVersions, work: () => T): T {
  return keepers.run(keep, work);
}

/** Runs work in a transaction, which notes versions if the running work keeps them. */
export async function notingVersions<T>(
  opened: DriverTransaction,
  work: (transaction: DriverTransaction) => Promise<T>,
): Promise<T> {
  const keep = keepers.getStore();
  if (keep === undefined) return work(opened);
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
  const result = await work({ ...opened, savepoint, note: (version) => versions.push(version) });
  if (versions.length > 0) keep(versions);
  return result;
}
