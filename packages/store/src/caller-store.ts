import { createHash } from "node:crypto";
import {
  ToolError,
  type Kind,
  type PatchOptions,
  type PutOptions,
  type RecordData,
  type Store,
  type Query,
} from "@toolpacks/core";
import { recordNotFound } from "./record-not-found.ts";

/**
 * The store as a principal may use it. Of kinds with an `owner`, it has only the principal's own records: another's record is as unknown as a missing
 * one. What the principal puts is its own. Operation ids are separate for each principal. Records of other kinds are shared.
 *
 * @param principal of the running call: `ToolContext.principal`. The local user, whose id is empty, gets the store itself.
 */
export function callerStore(store: Store, principal: string): Store {
  if (principal === "") return store;
  const own = {
    in: (workspace: string) => callerStore(store.in(workspace), principal),
    query: (kind: Kind, query: Query = {}) => store.query(kind, { ...query, caller: principal }),
    async get(kind: Kind, id: string) {
      if (kind.owner === undefined) return store.get(kind, id);
      const query = { filter: { id }, caller: principal, includeClosed: true, limit: 1 };
      return (await store.query(kind, query)).items[0];
    },
    put(kind: Kind, record: RecordData, options: PutOptions | PatchOptions = {}) {
      const { owner } = kind;
      const scoped = scopeOperation(options, principal) as PutOptions;
      if (owner === undefined) return store.put(kind, record, scoped);
      return store.transaction(async (inside) => {
        await requireWritable(inside, kind, { principal, options });
        return inside.put(kind, { ...record, [owner]: principal }, scoped);
      });
    },
    close: (kind: Kind, id: string, note?: string) =>
      writeOwn(store, { kind, id, principal }, (inside) => inside.close(kind, id, note)),
    reopen: (kind: Kind, id: string) => writeOwn(store, { kind, id, principal }, (inside) => inside.reopen(kind, id)),
    delete: (kind: Kind, id: string) =>
      kind.owner === undefined
        ? store.delete(kind, id)
        : store.transaction(
            async (inside) => (await isOwn(inside, { kind, id, principal })) && inside.delete(kind, id),
          ),
    transaction: <T>(work: (store: Store) => Promise<T>) =>
      store.transaction((inside) => work(callerStore(inside, principal))),
  };
  // The other methods are those of the store.
  return Object.assign(Object.create(store) as Store, own);
}

interface OwnRecord {
  readonly kind: Kind;
  readonly id: string;
  readonly principal: string;
}

async function writeOwn<T>(store: Store, record: OwnRecord, write: (inside: Store) => Promise<T>): Promise<T> {
  const { kind, id } = record;
  if (kind.owner === undefined) return write(store);
  return store.transaction(async (inside) => {
    if (!(await isOwn(inside, record))) throw recordNotFound(kind, id);
    return write(inside);
  });
}

async function isOwn(store: Store, { kind, id, principal }: OwnRecord): Promise<boolean> {
  return has(store, kind, { filter: { id }, caller: principal });
}

async function has(store: Store, kind: Kind, query: Query): Promise<boolean> {
  return (await store.query(kind, { ...query, includeClosed: true, limit: 0 })).total > 0;
}

interface OwnPut {
  readonly principal: string;
  readonly options: PutOptions | PatchOptions;
}

/** @throws ToolError when the id is that of another principal's record */
async function requireWritable(store: Store, kind: Kind, { principal, options: { id, patch } }: OwnPut): Promise<void> {
  if (id === undefined || (await isOwn(store, { kind, id, principal }))) return;
  if (patch === true) throw recordNotFound(kind, id);
  if (await has(store, kind, { filter: { id } })) {
    throw new ToolError("conflict", `id: ${JSON.stringify(id)} cannot be used`, "Choose another one, or leave it out.");
  }
}

/** Operation ids are chosen by callers, so two principals may choose the same. */
function scopeOperation(options: PutOptions | PatchOptions, principal: string): PutOptions | PatchOptions {
  const { operationId } = options;
  if (operationId === undefined) return options;
  const scoped = createHash("sha256")
    .update(JSON.stringify([principal, operationId]))
    .digest("hex");
  return { ...options, operationId: scoped };
}
