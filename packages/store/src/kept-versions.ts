import { AsyncLocalStorage } from "node:async_hooks";
import type { RecordData } from "@toolpacks/core";
import type { DriverTransaction, Row } from "./driver.ts";
import type { CompiledKind } from "./kind-layout.ts";

/** A record as a transaction found it, and the generation that it left. */
export interface RecordVersion {
  readonly workspace: string;
  readonly kind: string;
  readonly id: string;
  /** Null: there was no record. */
  readonly before: { readonly data: RecordData; readonly closed: boolean; readonly generation: number } | null;
  /** The generation of the last write of the transaction. 0: the record was deleted. */
  readonly generation: number;
  /** Whether only rules of other records have written it. */
  readonly derived: boolean;
}

/** Keeps the earlier versions of the records of one transaction, before its commit. Returns a function that is told whether it was committed. Must not throw. */
export type KeepVersions = (versions: readonly RecordVersion[]) => (isCommitted: boolean) => void;

const running = new AsyncLocalStorage<KeepVersions>();

/** Runs work. `keep` is called for each transaction in it that writes records, of any store. */
export function keepVersions<T>(keep: KeepVersions, work: () => T): T {
  return running.run(keep, work);
}

const noted = new WeakMap<DriverTransaction, RecordVersion[]>();

/** The transaction that notes earlier versions, if the running work keeps them. `keep` keeps them at the end, and `end` says how it ended. */
export function notingVersions(opened: DriverTransaction) {
  const keeper = running.getStore();
  if (keeper === undefined) return { transaction: opened, keep: () => {}, end: () => {} };
  const versions: RecordVersion[] = [];
  let ended: ReturnType<KeepVersions> | undefined;
  const transaction: DriverTransaction = {
    ...opened,
    async savepoint(work) {
      const count = versions.length;
      try {
        return await opened.savepoint(work);
      } catch (error) {
        versions.length = count;
        throw error;
      }
    },
  };
  noted.set(transaction, versions);
  const keep = () => {
    if (versions.length > 0) ended = keeper(merged(versions));
  };
  return { transaction, keep, end: (isCommitted: boolean) => ended?.(isCommitted) };
}

/** Notes the earlier version of a record after a write of it. */
export function noteVersion(
  { transaction, workspace, kind, isDerived }: Noting,
  { id, before, generation }: { readonly id: string; readonly before: Row | undefined; readonly generation: number },
): void {
  const versions = noted.get(transaction);
  if (versions === undefined) return;
  const kept =
    before === undefined ? null : { data: before.data, closed: before.closed, generation: before.generation };
  versions.push({ workspace, kind: kind.kind.name, id, before: kept, generation, derived: isDerived });
}

interface Noting {
  readonly transaction: DriverTransaction;
  readonly workspace: string;
  readonly kind: CompiledKind;
  readonly isDerived: boolean;
}

/** One version for each record: as the first write found it, and as the last one left it. */
function merged(versions: readonly RecordVersion[]): readonly RecordVersion[] {
  if (versions.length === 1) return versions;
  const byRecord = new Map<string, RecordVersion>();
  for (const version of versions) {
    const key = JSON.stringify([version.workspace, version.kind, version.id]);
    const { before = version.before, derived = true } = byRecord.get(key) ?? {};
    byRecord.set(key, { ...version, before, derived: derived && version.derived });
  }
  return [...byRecord.values()];
}
