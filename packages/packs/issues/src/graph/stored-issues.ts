import { everyRecord } from "@toolpacks/store";
import type { Kind, Query, Store } from "@toolpacks/core";
import { awaitedIssue, type Issue, type issueSchema } from "../issue-record.ts";

export type IssueKind = Kind<ReturnType<typeof issueSchema>>;

/** A cache of a store's issues, each read once. Valid only within one transaction. */
export interface StoredIssues {
  get(id: string): Promise<Issue | undefined>;
  /** The cached issue; undefined if it does not exist or is not read yet. */
  known(id: string): Issue | undefined;
  /** Reads many issues into the cache at once. */
  load(ids: readonly string[]): Promise<void>;
  /** Ids of the issues that have any dependency on an issue. */
  dependents(id: string, options: { readonly includeClosed: boolean }): Promise<readonly string[]>;
  /** Ids of the issues that wait for the children of an issue. */
  waiters(id: string): Promise<readonly string[]>;
  /** Ids of the open gates that wait for an issue. */
  gates(id: string): Promise<readonly string[]>;
  /** Ids of the children of an issue, read from the store as far as they are needed. */
  children(id: string, filter: ChildFilter): AsyncIterable<string>;
}

/** Which children are read: those that hold others back, or those with the status `closed`. */
export type ChildFilter = "open" | "closed";

/** Maximum number of issues in one query. */
const maxBatch = 1_000;

export function createStoredIssues(store: Store, kind: IssueKind): StoredIssues {
  const issues = new Map<string, Issue | undefined>();
  const dependents = new Map<string, readonly string[]>();

  const get = async (id: string) => {
    if (!issues.has(id)) issues.set(id, (await store.get(kind, id))?.data);
    return issues.get(id);
  };
  /** The issues that match, which are cached. */
  const read = async function* (query: Query) {
    for await (const item of everyRecord(store, kind, query)) {
      issues.set(item.id, item.data);
      yield item;
    }
  };
  const queryDependents = async (id: string, includeClosed: boolean) => {
    const found = read({ filter: { "graph.on": { contains: id } }, includeClosed });
    return Array.fromAsync(found, (item) => item.id);
  };
  return {
    get,
    known: (id) => issues.get(id),
    async load(ids) {
      for (let at = 0; at < ids.length; at += maxBatch) {
        const some = ids.slice(at, at + maxBatch);
        const query = { filter: { id: { in: some } }, includeClosed: true, limit: maxBatch };
        const { items } = await store.query(kind, query);
        for (const id of some) issues.set(id, undefined);
        for (const { id, data } of items) issues.set(id, data);
      }
    },
    async dependents(id, { includeClosed }) {
      const key = `${includeClosed} ${id}`;
      const asked = dependents.get(key);
      if (asked !== undefined) return asked;
      // An issue stores its number of dependents. A missing issue may have dependents too.
      const found = (await get(id))?.graph?.dependents === 0 ? [] : await queryDependents(id, includeClosed);
      dependents.set(key, found);
      return found;
    },
    waiters: async (id) =>
      Array.fromAsync(read({ filter: { "graph.waits": { contains: id } }, includeClosed: false }), (item) => item.id),
    gates: async (id) =>
      Array.fromAsync(read({ filter: { await_id: id }, includeClosed: false }), (item) =>
        awaitedIssue(item.data) === id ? [item.id] : [],
      ).then((found) => found.flat()),
    async *children(id, filter) {
      const isChild = { "graph.parents": { contains: id } };
      const query =
        filter === "open"
          ? { filter: isChild, includeClosed: false }
          : { filter: { ...isChild, status: "closed" }, includeClosed: true };
      for await (const item of read(query)) yield item.id;
    },
  };
}
