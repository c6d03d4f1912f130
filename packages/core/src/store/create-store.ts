import { AsyncLocalStorage } from "node:async_hooks";
import { checkStore, exportLines, importOnce } from "./archive.ts";
import { checkStored } from "./damaged-record.ts";
import { defaultWorkspace } from "./default-workspace.ts";
import { delegatedStore } from "./delegated-store.ts";
import type { DriverReader, DriverTransaction, StoreDriver } from "./driver.ts";
import { prepareKind, type PreparedKind } from "./kind-layout.ts";
import { recordPage } from "./record-page.ts";
import { planQuery } from "./query-plan.ts";
import type { Query } from "./query.ts";
import { quotaOf } from "./quota.ts";
import { checkName, checkOptions } from "./check-options.ts";
import { maxIdLength } from "./record-id.ts";
import type { Kind, OwnedStore, PatchOptions, PutOptions, Store } from "./store.ts";
import { createRunningCalls } from "./running-calls.ts";
import { allowWorkspaces, everyWorkspace, type AllowedWorkspaces } from "./workspace-access.ts";
import { deleteRecord, putRecord, setClosed, type Writing } from "./write-record.ts";

export interface StoreOptions {
  /** The id of the workspace that the store looks at. A function is called once, at the first use. Default `default`. */
  readonly workspace?: string | (() => string);
  /** The name that people know a workspace by. Default: its id. */
  readonly workspaceName?: (workspace: string) => string;
  /** Bytes that the records of one workspace may take as JSON; a write beyond is `too_large`. Default 1 GiB; false: no bound. */
  readonly maxWorkspaceBytes?: number | false;
  /** What each call of the store and of its views is made in, such as a deadline. Not `export`, `import` and `check`. Default: nothing. */
  readonly aroundCall?: <T>(call: () => Promise<T>) => Promise<T>;
}

/**
 * Makes a store of a driver: ids, schemas, rules, patches, cursors and workspaces are the same over every database.
 *
 * @param open called at the first use, and again at the next one when it rejects
 */
export function createStore(
  open: () => Promise<StoreDriver>,
  {
    workspace = defaultWorkspace,
    workspaceName = (id) => id,
    maxWorkspaceBytes,
    aroundCall = (call) => call(),
  }: StoreOptions = {},
): OwnedStore {
  const { driver, end } = openOnce(open);
  const calls = createRunningCalls();
  const writing = new AsyncLocalStorage<{ active: boolean }>();
  const outside = async () => {
    if (writing.getStore()?.active !== true) return driver();
    throw waitsForItself();
  };
  const transact = async <T>(work: (transaction: DriverTransaction) => Promise<T>): Promise<T> =>
    (await outside()).transaction(async (transaction) => {
      const scope = { active: true };
      try {
        return await writing.run(scope, () => work(transaction));
      } finally {
        scope.active = false;
        over.add(transaction);
      }
    });
  const door: Door = {
    read: async (work) => work(await driver()),
    write: transact,
    prepare: prepareOnce(outside),
    watch: async (listener) => (await driver()).watch(listener),
    beforeEnd: calls.beforeEnd,
    workspaceName,
    allowed: everyWorkspace,
    maxBytes: quotaOf(maxWorkspaceBytes),
  };
  const { store, restrict } = createStores(door, workspace, {
    ...calls,
    run: (call) => calls.run(() => aroundCall(call)),
  });
  return Object.assign(store, {
    restrict,
    async *export() {
      yield* exportLines(await calls.run(driver));
    },
    import: (lines: Parameters<OwnedStore["import"]>[0], kinds: readonly Kind[] = []) =>
      calls.run(async () => {
        const stored = (await (await driver()).kinds()).map(({ name }) => name);
        return importOnce(transact, lines, { declared: kinds, stored });
      }),
    check: (kinds: readonly Kind[] = []) => calls.run(async () => checkStore(await driver(), kinds)),
    async end() {
      await calls.end();
      await end();
    },
  });
}

function prepareOnce(open: () => Promise<StoreDriver>): Door["prepare"] {
  const prepared = new Map<string, Promise<void>>();
  return async ({ layout }) => {
    const key = JSON.stringify(layout);
    const done = prepared.get(key) ?? open().then(async (opened) => opened.prepare(layout));
    prepared.set(key, done);
    done.catch(() => prepared.delete(key));
    await done;
  };
}

function openOnce(open: () => Promise<StoreDriver>) {
  let opening: Promise<StoreDriver> | undefined;
  return {
    driver: async () => {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    end: async () => {
      const opened = opening;
      opening = undefined;
      await opened?.then((one) => one.end());
    },
  };
}

/** The store over a door, whose calls its end waits for, and the same store with some of its workspaces. */
function createStores(
  door: Door,
  workspace: string | (() => string),
  { run, beforeEnd }: ReturnType<typeof createRunningCalls>,
): Pick<OwnedStore, "restrict"> & { readonly store: Store } {
  if (typeof workspace === "string") checkName("workspace", workspace, 100);
  const own = once(() => checkName("workspace", typeof workspace === "string" ? workspace : workspace(), 100));
  // A start calls `beforeEnd`, which needs no workspace.
  const over = (view: () => Store) => Object.assign(delegatedStore(once(view), run), { beforeEnd });
  return {
    store: over(() => createView(door, own())),
    restrict: (access) => over(() => createView({ ...door, allowed: allowWorkspaces(own(), access) }, own())),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Transactions that have ended, for whoever keeps the store that one gave. */
const over = new WeakSet<DriverTransaction>();

/** How a view reaches the driver: by itself, or inside one transaction. */
interface Door {
  read<T>(work: (reader: DriverReader) => T | Promise<T>): Promise<T>;
  /** @param several whether it may write more than one record, which all are undone when it rejects */
  write<T>(work: (transaction: DriverTransaction) => Promise<T>, several: boolean): Promise<T>;
  prepare(kind: PreparedKind): Promise<void>;
  readonly watch: Store["watch"];
  readonly beforeEnd: Store["beforeEnd"];
  readonly workspaceName: Store["workspaceName"];
  readonly allowed: AllowedWorkspaces;
  /** Default true. */
  readonly rules?: boolean;
  /** Of one workspace. Undefined: no bound. */
  readonly maxBytes: number | undefined;
}

function createView(door: Door, workspace: string): Store {
  const { allowed } = door;
  const use = async (kind: Kind): Promise<PreparedKind> => {
    const usable = prepareKind(kind);
    await door.prepare(usable);
    return usable;
  };
  const write = async <T>(kind: Kind, work: (writing: Writing) => Promise<T>, maxBytes = door.maxBytes): Promise<T> => {
    const usable = await use(kind);
    const ruled = door.rules !== false && (kind.rule !== undefined || kind.newId !== undefined);
    return door.write(async (transaction) => {
      const ruleStore = ruled
        ? createView({ ...transactionDoor(door, transaction), rules: false, maxBytes }, workspace)
        : undefined;
      return work({ transaction, kind: usable, workspace, ruleStore, maxBytes });
    }, ruled);
  };
  /** Closing and deleting are how a workspace gets smaller: they have no bound. */
  const writeTo = async <T>(kind: Kind, id: string, work: (writing: Writing) => Promise<T>): Promise<T> => {
    checkName("id", id, maxIdLength);
    return write(kind, work, Infinity);
  };
  const view = {
    workspace,
    allowedWorkspaces: allowed.ids,
    in(id: string) {
      allowed.check(checkName("workspace", id, 100));
      return createView(door, id);
    },
    workspaces: async () => allowed.of(await door.read((reader) => reader.workspaces())),
    workspaceName: door.workspaceName,
    async put(kind: Kind, record: unknown, options: PutOptions | PatchOptions = {}) {
      checkOptions(options);
      return write(kind, (writing) => putRecord(writing, record, options));
    },
    async get(kind: Kind, id: string) {
      checkName("id", id, maxIdLength);
      const usable = await use(kind);
      const row = await door.read((reader) => reader.get(usable.layout, workspace, id));
      return row && checkStored(usable, row);
    },
    async query(kind: Kind, query: Query = {}) {
      const usable = await use(kind);
      const plan = planQuery(usable, query, query.everyWorkspace === true ? allowed.every : [workspace]);
      return recordPage(await door.read((reader) => reader.find(usable.layout, plan)), { kind: usable, query, plan });
    },
    close: (kind: Kind, id: string, note?: string) =>
      writeTo(kind, id, (writing) => setClosed(writing, id, { closed: true, ...(note !== undefined && { note }) })),
    reopen: (kind: Kind, id: string) => writeTo(kind, id, (writing) => setClosed(writing, id, { closed: false })),
    delete: (kind: Kind, id: string) => writeTo(kind, id, (writing) => deleteRecord(writing, id)),
    transaction: <T>(work: (store: Store) => Promise<T>) =>
      door.write((transaction) => work(createView(transactionDoor(door, transaction), workspace)), true),
    generation: () => door.read((reader) => reader.generation()),
    watch: door.watch,
    beforeEnd: door.beforeEnd,
  };
  return view as unknown as Store;
}

/**
 * The same door inside a transaction: reads see its writes, and a write that fails undoes its own part alone. Writes that
 * are started together run one after the other, since savepoints only nest.
 */
function transactionDoor(door: Door, transaction: DriverTransaction): Door {
  const prepared = new Set<PreparedKind>();
  let last: Promise<unknown> = Promise.resolve();
  const live = () => {
    if (over.has(transaction)) throw new Error("the transaction has ended: await everything that it does");
    return transaction;
  };
  const own: Door = {
    ...door,
    read: async (work) => work(live()),
    write(work, several) {
      for (let around = innermost.getStore(); around !== undefined; around = around.outer) {
        if (around.door === own) throw waitsForItself();
      }
      const around = { door: own, outer: innermost.getStore() };
      const start = async () => (several ? live().savepoint(() => work(transaction)) : work(live()));
      const run = () => innermost.run(around, start);
      const result = last.then(run, run);
      last = result;
      return result;
    },
    async prepare(kind) {
      if (prepared.has(kind)) return;
      await live().prepare(kind.layout);
      prepared.add(kind);
    },
  };
  return own;
}

/** The writes of transactions that the running code is inside of. */
interface RunningWrite {
  readonly door: Door;
  readonly outer: RunningWrite | undefined;
}

const innermost = new AsyncLocalStorage<RunningWrite>();

function waitsForItself(): Error {
  return new Error(
    "inside a transaction another store would wait for it to end: use the store that the transaction gave",
  );
}
