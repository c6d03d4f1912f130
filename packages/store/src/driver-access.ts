import { AsyncLocalStorage } from "node:async_hooks";
import type { EmptyQuery } from "./empty-queries.ts";
import type { DriverReader, DriverTransaction } from "./driver.ts";
import type { CompiledKind } from "./kind-layout.ts";
import type { RecordVectors } from "./record-vectors.ts";
import type { Store } from "@toolpacks/core";
import type { AllowedWorkspaces } from "./workspace-access.ts";

/** Transactions that have ended. Their store cannot be used any more. */
export const endedTransactions = new WeakSet<DriverTransaction>();

/** How a view uses the driver: directly, or inside a transaction. */
export interface DriverAccess {
  read<T>(work: (reader: DriverReader) => T | Promise<T>): Promise<T>;
  /** @param isAtomic whether all writes of `work` are undone if it rejects */
  write<T>(work: (transaction: DriverTransaction) => Promise<T>, isAtomic: boolean): Promise<T>;
  ensureKind(kind: CompiledKind): Promise<void>;
  readonly watch: Store["watch"];
  readonly beforeEnd: Store["beforeEnd"];
  readonly workspaceName: Store["workspaceName"];
  readonly allowed: AllowedWorkspaces;
  /** Whether writes run the rules of their kinds. Default true. */
  readonly rules?: boolean;
  /** Called with each query that matches nothing, outside of transactions. */
  readonly noticeEmpty?: ((empty: Pick<EmptyQuery, "store" | "kind" | "query">) => void) | undefined;
  readonly vectors: RecordVectors;
  /** Maximum bytes of one workspace. Undefined: no limit. */
  readonly maxBytes: number | undefined;
}

/**
 * The driver access inside a transaction. Reads see its writes. A failed write undoes only its own changes. Concurrent writes run one after the
 * other, because savepoints can only be nested.
 */
export function transactionAccess(access: DriverAccess, transaction: DriverTransaction): DriverAccess {
  const ensured = new Set<CompiledKind>();
  let last: Promise<unknown> = Promise.resolve();
  const requireOpen = () => {
    if (endedTransactions.has(transaction)) throw new Error("the transaction has ended: await everything that it does");
    return transaction;
  };
  const own: DriverAccess = {
    ...access,
    noticeEmpty: undefined,
    read: async (work) => work(requireOpen()),
    write(work, isAtomic) {
      for (let enclosing = innermost.getStore(); enclosing !== undefined; enclosing = enclosing.outer) {
        if (enclosing.access === own) throw deadlockError();
      }
      const enclosing = { access: own, outer: innermost.getStore() };
      const start = async () => (isAtomic ? requireOpen().savepoint(() => work(transaction)) : work(requireOpen()));
      const run = () => innermost.run(enclosing, start);
      const result = last.then(run, run);
      last = result;
      return result;
    },
    async ensureKind(kind) {
      if (ensured.has(kind)) return;
      await requireOpen().ensureKind(kind.layout);
      ensured.add(kind);
    },
  };
  return own;
}

/** A write inside a transaction, with the write that encloses it. */
interface RunningWrite {
  readonly access: DriverAccess;
  readonly outer: RunningWrite | undefined;
}

const innermost = new AsyncLocalStorage<RunningWrite>();

export function deadlockError(): Error {
  return new Error(
    "inside a transaction another store would wait for it to end: use the store that the transaction gave",
  );
}
