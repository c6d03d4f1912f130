import { AsyncLocalStorage } from "node:async_hooks";
import { ToolError } from "../tool-error.ts";
import { exportLines, importLines } from "./archive.ts";
import { makeCursor } from "./cursor.ts";
import type { DriverReader, DriverTransaction, Row, StoreDriver } from "./driver.ts";
import type { Kind, RecordData } from "./kind.ts";
import { prepareKind, type PreparedKind } from "./kind-layout.ts";
import { planQuery } from "./query-plan.ts";
import type { Query } from "./query.ts";
import type { OwnedStore, Page, PatchOptions, PutOptions, Store, Stored } from "./store.ts";
import { deleteRecord, putRecord, setClosed, type Writing } from "./write-record.ts";

export interface StoreOptions {
  /** Default `default`. */
  readonly workspace?: string;
}

/**
 * Makes a store of a driver: ids, schemas, rules, patches, cursors and workspaces are the same over every database.
 *
 * @param open called at the first use, and again at the next one when it rejects
 */
export function createStore(
  open: () => Promise<StoreDriver>,
  { workspace = "default" }: StoreOptions = {},
): OwnedStore {
  let opening: Promise<StoreDriver> | undefined;
  let ended = false;
  const prepared = new Map<string, Promise<void>>();
  const writing = new AsyncLocalStorage<{ active: boolean }>();
  const driver = async () => {
    if (ended) throw new ToolError("unavailable", "the store was closed");
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const outside = async () => {
    if (writing.getStore()?.active !== true) return driver();
    throw new Error(
      "inside a transaction another store would wait for it to end: use the store that the transaction gave",
    );
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
    reader: driver,
    write: transact,
    async prepare(kind) {
      const { layout } = kind;
      const key = JSON.stringify(layout);
      const done = prepared.get(key) ?? outside().then(async (opened) => opened.prepare(layout));
      prepared.set(key, done);
      done.catch(() => prepared.delete(key));
      await done;
    },
    watch: async (listener) => (await driver()).watch(listener),
  };
  return {
    ...createView(door, checkName("workspace", workspace, 100)),
    async *export() {
      yield* exportLines(await driver());
    },
    import: (lines) => transact((transaction) => importLines(transaction, lines)),
    check: async () => (await driver()).check(),
    async end() {
      if (ended) return;
      ended = true;
      await opening?.then((opened) => opened.end());
    },
  };
}

/** Transactions that have ended, for whoever keeps the store that one gave. */
const over = new WeakSet<DriverTransaction>();

/** How a view reaches the driver: by itself, or inside one transaction. */
interface Door {
  reader(): Promise<DriverReader>;
  /** @param several whether it may write more than one record, which all are undone when it rejects */
  write<T>(work: (transaction: DriverTransaction) => Promise<T>, several: boolean): Promise<T>;
  prepare(kind: PreparedKind): Promise<void>;
  watch: Store["watch"];
  /** Default true. */
  readonly rules?: boolean;
}

function createView(door: Door, workspace: string): Store {
  const use = async (kind: Kind): Promise<PreparedKind> => {
    const usable = prepareKind(kind);
    await door.prepare(usable);
    return usable;
  };
  const write = async <T>(kind: Kind, work: (writing: Writing) => Promise<T>): Promise<T> => {
    const usable = await use(kind);
    const ruled = door.rules !== false && (kind.rule !== undefined || kind.newId !== undefined);
    return door.write(async (transaction) => {
      const ruleStore = ruled
        ? createView({ ...transactionDoor(door, transaction), rules: false }, workspace)
        : undefined;
      return work({ transaction, kind: usable, workspace, ruleStore });
    }, ruled);
  };
  const view = {
    workspace,
    in: (name: string) => createView(door, checkName("workspace", name, 100)),
    workspaces: async () => (await door.reader()).workspaces(),
    async put(kind: Kind, record: unknown, options: PutOptions | PatchOptions = {}) {
      checkOptions(options);
      return write(kind, (writing) => putRecord(writing, record, options));
    },
    async get(kind: Kind, id: string) {
      const { layout } = await use(kind);
      return (await door.reader()).get(layout, workspace, id);
    },
    async query(kind: Kind, query: Query = {}) {
      const usable = await use(kind);
      const plan = planQuery(usable, query, query.everyWorkspace === true ? "every" : [workspace]);
      return page(await (await door.reader()).find(usable.layout, plan), query, plan.limit);
    },
    close: (kind: Kind, id: string, note?: string) =>
      write(kind, (writing) => setClosed(writing, id, { closed: true, ...(note !== undefined && { note }) })),
    reopen: (kind: Kind, id: string) => write(kind, (writing) => setClosed(writing, id, { closed: false })),
    delete: (kind: Kind, id: string) => write(kind, (writing) => deleteRecord(writing, id)),
    transaction: <T>(work: (store: Store) => Promise<T>) =>
      door.write((transaction) => work(createView(transactionDoor(door, transaction), workspace)), true),
    generation: async () => (await door.reader()).generation(),
    watch: door.watch,
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
  return {
    ...door,
    reader: async () => live(),
    write(work, several) {
      const run = async () => (several ? live().savepoint(() => work(transaction)) : work(live()));
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
}

type Found = Awaited<ReturnType<DriverReader["find"]>>;

function page(found: Found, query: Query, limit: number): Page {
  const { rows, total, generation } = found;
  const { compaction, fields } = query;
  const compacted = query.limit === undefined && compaction !== undefined && rows.length > compaction.over;
  const size = compacted ? compaction.show : limit;
  const shown = rows.slice(0, size);
  const more = rows.length > size && size > 0;
  return {
    items: shown.map((row) => stored(row, fields)),
    total,
    ...(more && { cursor: makeCursor(query, found.resume(size - 1)) }),
    ...(compacted && { compacted }),
    generation,
  };
}

function stored({ id, data, generation, closed, workspace }: Row, fields: readonly string[] | undefined): Stored {
  return { id, data: fields === undefined ? data : pick(data, fields), generation, closed, workspace };
}

function pick(data: RecordData, fields: readonly string[]): RecordData {
  return Object.fromEntries(fields.flatMap((field) => (Object.hasOwn(data, field) ? [[field, data[field]]] : [])));
}

function checkOptions({ id, ifGeneration, operationId, patch }: PutOptions | PatchOptions): void {
  if (id !== undefined) checkName("id", id, 200);
  if (operationId !== undefined) checkName("operationId", operationId, 200);
  if (patch === true && id === undefined) throw new ToolError("invalid_input", "id: required to patch");
  if (ifGeneration !== undefined && !(Number.isSafeInteger(ifGeneration) && ifGeneration >= 0)) {
    throw new ToolError("invalid_input", `ifGeneration: expected a whole number from 0, received ${ifGeneration}`);
  }
}

function checkName(what: string, name: string, most: number): string {
  if (typeof name === "string" && name.length > 0 && name.length <= most && !/[\p{Cc}\p{Cs}]/u.test(name)) return name;
  throw new ToolError("invalid_input", `${what}: expected 1 to ${most} characters, none of them a control character`);
}
