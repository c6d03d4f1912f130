import { AsyncLocalStorage } from "node:async_hooks";
import { checkStored } from "./damaged-record.ts";
import {
  defaultWorkspace,
  type Query,
  type Kind,
  type OwnedStore,
  type PatchOptions,
  type PutOptions,
  type Store,
} from "@toolpacks/core";
import { delegatedStore } from "./delegated-store.ts";
import { deadlockError, transactionAccess, type DriverAccess } from "./driver-access.ts";
import type { DriverTransaction, KindLayout, QueryPlan, StoreDriver } from "./driver.ts";
import { noticeEmptyQuery } from "./empty-queries.ts";
import { inChosenWorkspace } from "./follow-workspace.ts";
import { notingVersions } from "./kept-versions.ts";
import { compileKind, type CompiledKind } from "./kind-layout.ts";
import { recordPage } from "./record-page.ts";
import { planQuery } from "./query-plan.ts";
import { quotaOf } from "./quota.ts";
import type { createRecordVectors, RecordVectors } from "./record-vectors.ts";
import type { TextEmbedder } from "./text-embedder.ts";
import { checkName, checkOptions, internalWorkspace, isReserved, localWorkspace } from "./check-options.ts";
import { maxIdLength } from "./record-id.ts";
import { createEndWork, createRunningCalls, reportUnavailable, type RunningCalls } from "./running-calls.ts";
import { allowWorkspaces, isAllowed, requireAllowed } from "./workspace-access.ts";
import { deleteRecord, putRecord, setClosed, type WriteContext } from "./write-record.ts";

export interface StoreOptions {
  /** The id of the store's workspace. A function is called once, at the first use. Default `default`. */
  readonly workspace?: string | (() => string);
  /** The name that people know a workspace by. Default: its id. */
  readonly workspaceName?: (workspace: string) => string;
  /** Maximum bytes of the records of one workspace, as JSON. A write beyond it fails with `too_large`. Default 1 GiB; false: no limit. */
  readonly maxWorkspaceBytes?: number | false;
  /**
   * Makes the vectors by which records of kinds with `meaning` are found, the best one first. A query uses the first one whose vectors are complete. Loaded
   * at the first write or query that needs it; a loader that rejects must report it. Default: the table of `@toolpacks/meaning`, of `createStore` none. Empty: queries go by words alone.
   */
  readonly meaning?: readonly (() => Promise<TextEmbedder>)[];
  /** Wraps each call of the store and its views, for example with a deadline. Not used for `export`, `import` and `check`. */
  readonly aroundCall?: <T>(call: () => Promise<T>) => Promise<T>;
  /** Called with the error of each call that fails because of the database: it is down, or data in it is damaged. */
  readonly onUnavailable?: (error: unknown) => void;
}

/**
 * Creates a store from a driver. Ids, schemas, rules, patches, cursors and workspaces are the same on every database.
 *
 * @param open opens the driver; called at the first use, and again at the next use if it rejects
 */
export function createStore(
  open: () => Promise<StoreDriver>,
  { workspace = defaultWorkspace, workspaceName = (id) => id, maxWorkspaceBytes, ...options }: StoreOptions = {},
): OwnedStore {
  const { meaning = [], aroundCall = (call) => call(), onUnavailable } = options;
  const { driver, end } = openOnce(open);
  const calls = createRunningCalls();
  const writing = new AsyncLocalStorage<{ active: boolean }>();
  const driverOutsideTransaction = async () => {
    if (writing.getStore()?.active !== true) return driver();
    throw deadlockError();
  };
  const transact = async <T>(work: (transaction: DriverTransaction) => Promise<T>): Promise<T> =>
    (await driverOutsideTransaction()).transaction(async (opened) => {
      const scope = { active: true };
      const local = () => createView({ ...transactionAccess(access, opened), maxBytes: undefined }, localWorkspace);
      try {
        return await writing.run(scope, () => notingVersions(opened, local, work));
      } finally {
        scope.active = false;
      }
    });
  const access: DriverAccess = {
    read: async (work) => work(await driver()),
    write: transact,
    ensureKind: ensureKindOnce(driverOutsideTransaction),
    watch: async (listener) => (await driver()).watch(listener),
    beforeEnd: calls.beforeEnd,
    workspaceName,
    allowed: { ids: "all" },
    maxBytes: quotaOf(maxWorkspaceBytes),
    vectors: lazyVectors(meaning, driverOutsideTransaction),
  };
  calls.beforeEnd(access.vectors.end);
  const { store, ...views } = createStores(access, workspace, {
    beforeEnd: calls.beforeEnd,
    run: (call) => calls.run(() => reportUnavailable(aroundCall(call), onUnavailable)),
  });
  return Object.assign(store, {
    ...views,
    async *export() {
      yield* (await archive()).exportLines(await calls.run(driver));
    },
    import: (lines: Parameters<OwnedStore["import"]>[0], kinds: readonly Kind[] = []) =>
      calls.run(async () =>
        (await archive()).importOnce(transact, lines, { declared: kinds, stored: await (await driver()).kinds() }),
      ),
    move: (from: string, to: string) =>
      calls.run(async () => (await archive()).moveRecords(await driver(), transact, { from, to })),
    check: (kinds: readonly Kind[] = []) => calls.run(async () => (await archive()).checkStore(await driver(), kinds)),
    flush: () => calls.flush(),
    async end() {
      await calls.end();
      await end();
    },
  });
}

/** The vectors of records. Their code is loaded at the first use of a kind with `meaning`. */
function lazyVectors(...options: Parameters<typeof createRecordVectors>): RecordVectors {
  let loading: Promise<RecordVectors> | undefined;
  const vectorsOf = async ({ kind }: CompiledKind) => {
    if (kind.meaning.length > 0)
      loading ??= import("./record-vectors.ts").then((loaded) => loaded.createRecordVectors(...options));
    return kind.meaning.length > 0 ? loading : undefined;
  };
  return {
    ofRecord: async (kind, ...rest) => (await vectorsOf(kind))?.ofRecord(kind, ...rest),
    ofQuery: async (kind, ...rest) => (await vectorsOf(kind))?.ofQuery(kind, ...rest),
    end: async () => (await loading)?.end(),
  };
}

/** Loaded at the first use, so that a server starts faster. */
const archive = () => import("./archive.ts");

function ensureKindOnce(open: () => Promise<StoreDriver>): DriverAccess["ensureKind"] {
  const ensured = new WeakMap<KindLayout, Promise<void>>();
  return async ({ layout }) => {
    const done = ensured.get(layout) ?? open().then(async (opened) => opened.ensureKind(layout));
    ensured.set(layout, done);
    done.catch(() => ensured.delete(layout));
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

/** Creates the store on a driver access, and the functions that create its other views. */
function createStores(
  access: DriverAccess,
  workspace: string | (() => string),
  { run, beforeEnd }: Pick<RunningCalls, "run" | "beforeEnd">,
): Pick<OwnedStore, "restrict" | "internal" | "local"> & { readonly store: Store } {
  if (typeof workspace === "string") checkName("workspace", workspace, 100);
  const own = once(() => checkName("workspace", typeof workspace === "string" ? workspace : workspace(), 100));
  // `beforeEnd` must not read the workspace: packs call it at start.
  const createLazyView = (view: () => Store, register = beforeEnd) =>
    Object.assign(delegatedStore(view, run), { beforeEnd: register });
  const reserved = (id: string) => createLazyView(once(() => createView({ ...access, maxBytes: undefined }, id)));
  return {
    store: createLazyView(once(() => createView(access, own()))),
    internal: () => reserved(internalWorkspace),
    local: () => reserved(localWorkspace),
    restrict(to) {
      const listed = typeof to.workspaces === "string" ? [] : to.workspaces;
      for (const id of to.workspace === undefined ? listed : [to.workspace, ...listed]) checkName("workspace", id, 100);
      const works = createEndWork();
      const unregister = beforeEnd(
        () => works.run("end"),
        () => works.run("flush"),
      );
      const restricted = once(() => {
        const ownId = to.workspace ?? own();
        const noticeEmpty: DriverAccess["noticeEmpty"] = (empty) =>
          noticeEmptyQuery({ ...empty, own: ownId, store: delegatedStore(() => empty.store, run) });
        return createView(
          {
            ...access,
            beforeEnd: works.add,
            allowed: allowWorkspaces(ownId, to),
            noticeEmpty: to.calls && noticeEmpty,
          },
          ownId,
        );
      });
      const view = to.calls === "followed" ? () => inChosenWorkspace(restricted()) : restricted;
      const end = once(async () => {
        unregister();
        await works.run("end");
      });
      return Object.assign(createLazyView(view, works.add), { end });
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

async function useKind(access: DriverAccess, kind: Kind): Promise<CompiledKind> {
  const compiled = compileKind(kind);
  await access.ensureKind(compiled);
  return compiled;
}

/** Runs writes in a transaction, with the store that rules of the kind get. */
function createWrites(access: DriverAccess, workspace: string) {
  const write = async <T>(
    kind: Kind,
    work: (writing: WriteContext) => Promise<T>,
    {
      maxBytes = access.maxBytes,
      rules,
    }: { readonly maxBytes?: number | undefined; readonly rules?: "restore" | boolean } = {},
  ): Promise<T> => {
    const compiled = await useKind(access, kind);
    const hasRules = rules !== false && access.rules !== false && (kind.rule !== undefined || kind.newId !== undefined);
    return access.write(async (transaction) => {
      const ruleStore = hasRules
        ? createView({ ...transactionAccess(access, transaction), rules: false, maxBytes }, workspace)
        : undefined;
      const isDerived = access.rules === false;
      const facts = { ruleStore, restores: rules === "restore", isDerived, maxBytes, vectors: access.vectors };
      return work({ transaction, kind: compiled, workspace, ...facts });
    }, hasRules);
  };
  /** Closing and deleting are allowed in a workspace that exceeds its limit, because they can make it smaller. */
  const writeTo = async <T>(kind: Kind, id: string, work: (writing: WriteContext) => Promise<T>): Promise<T> => {
    checkName("id", id, maxIdLength);
    return write(kind, work, { maxBytes: Infinity });
  };
  return { write, writeTo };
}

function createView(access: DriverAccess, workspace: string): Store {
  const { allowed } = access;
  const { write, writeTo } = createWrites(access, workspace);
  const view: Store = {
    workspace,
    allowedWorkspaces: allowed.ids,
    in(id: string) {
      requireAllowed(allowed, checkName("workspace", id, 100));
      return createView(access, id);
    },
    async workspaces() {
      const all = await access.read((reader) => reader.workspaces());
      return all.filter((id) => isAllowed(allowed, id) && !isReserved(id));
    },
    workspaceName: access.workspaceName,
    async put(kind: Kind, record: unknown, options: PutOptions | PatchOptions = {}) {
      checkOptions(options);
      return write(kind, (writing) => putRecord(writing, record, options), options);
    },
    async get(kind: Kind, id: string) {
      checkName("id", id, maxIdLength);
      const compiled = await useKind(access, kind);
      const row = await access.read((reader) => reader.get(compiled.layout, workspace, id));
      return row && checkStored(compiled, row);
    },
    async query(kind: Kind, query: Query = {}) {
      const compiled = await useKind(access, kind);
      const every = allowed.ids === "all" ? "every" : allowed.ids.toSorted();
      const words = planQuery(compiled, query, query.everyWorkspace === true ? every : [workspace]);
      const isNear = words.text?.match === "any" && words.sort.length === 0 && words.limit > 0;
      const readSets = () => access.read((reader) => reader.vectorSets(compiled.layout));
      // A store that can only be read may be of a version without vectors.
      const near = isNear ? await access.vectors.ofQuery(compiled, query, readSets).catch(() => {}) : undefined;
      const plan: QueryPlan = near ? { ...words, near } : words;
      const found = await access.read((reader) => reader.find(compiled.layout, plan));
      const page = recordPage(found, { kind: compiled, query, plan });
      if (page.total === 0) access.noticeEmpty?.({ store: view, kind, query });
      return page;
    },
    close: (kind: Kind, id: string, note?: string) =>
      writeTo(kind, id, (writing) => setClosed(writing, id, { closed: true, note })),
    reopen: (kind: Kind, id: string) => writeTo(kind, id, (writing) => setClosed(writing, id, { closed: false })),
    async delete(kind: Kind, id: string, options?: Pick<PutOptions, "rules">) {
      checkName("id", id, maxIdLength);
      return write(kind, (writing) => deleteRecord(writing, id), { ...options, maxBytes: Infinity });
    },
    transaction: <T>(work: (store: Store) => Promise<T>) =>
      access.write((transaction) => work(createView(transactionAccess(access, transaction), workspace)), true),
    generation: () => access.read((reader) => reader.generation()),
    watch: access.watch,
    beforeEnd: access.beforeEnd,
  } as unknown as Store;
  return view;
}
