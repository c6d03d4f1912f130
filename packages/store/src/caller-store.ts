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
  const isOwn = (inside: Store, kind: Kind, id: string) => has(inside, kind, { filter: { id }, caller: principal });
  const writeOwn = async <T>(kind: Kind, id: string, write: (inside: Store) => Promise<T>): Promise<T> => {
    if (kind.owner === undefined) return write(store);
    return store.transaction(async (inside) => {
      if (!(await isOwn(inside, kind, id))) throw recordNotFound(kind, id);
      return write(inside);
    });
  };
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
      const { id, patch } = options;
      const scoped = scopeOperation(options, principal) as PutOptions;
      if (owner === undefined) return store.put(kind, record, scoped);
      return store.transaction(async (inside) => {
        if (id !== undefined && !(await isOwn(inside, kind, id))) {
          if (patch === true) throw recordNotFound(kind, id);
          if (await has(inside, kind, { filter: { id } })) throw usedId(id);
        }
        return inside.put(kind, { ...record, [owner]: principal }, scoped);
      });
    },
    close: (kind: Kind, id: string, note?: string) => writeOwn(kind, id, (inside) => inside.close(kind, id, note)),
    reopen: (kind: Kind, id: string) => writeOwn(kind, id, (inside) => inside.reopen(kind, id)),
    delete(kind: Kind, id: string, options?: Pick<PutOptions, "rules">) {
      if (kind.owner === undefined) return store.delete(kind, id, options);
      return store.transaction(async (inside) => (await isOwn(inside, kind, id)) && inside.delete(kind, id, options));
    },
    transaction: <T>(work: (store: Store) => Promise<T>) =>
      store.transaction((inside) => work(callerStore(inside, principal))),
  };
  // The other methods are those of the store.
  return Object.assign(Object.create(store) as Store, own);
}

async function has(store: Store, kind: Kind, query: Query): Promise<boolean> {
  return (await store.query(kind, { ...query, includeClosed: true, limit: 0 })).total > 0;
}

/** The error for a put with the id of another principal's record. */
function usedId(id: string): ToolError {
  return new ToolError("conflict", `id: ${JSON.stringify(id)} cannot be used`, "Choose another one, or leave it out.");
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
