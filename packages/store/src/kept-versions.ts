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

/** The transaction, which notes versions if the running work keeps them, and the function that keeps them. */
export function notingVersions(opened: DriverTransaction): readonly [DriverTransaction, () => void] {
  const keeper = keepers.getStore();
  if (keeper === undefined) return [opened, () => {}];
  const versions: RecordVersion[] = [];
  const savepoint: DriverTransaction["savepoint"] = async (work) => {
    const count = versions.length;
    try {
      return await opened.savepoint(work);
    } catch (error) {
      versions.length = count;
      throw error;
    }
  };
  const keep = () => versions.length > 0 && keeper(versions);
  return [{ ...opened, savepoint, note: (version) => versions.push(version) }, keep];
}
