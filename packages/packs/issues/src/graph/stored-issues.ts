import { everyRecord, type Kind, type Store } from "@toolpacks/core";
import type { Issue, issueSchema } from "../issue-record.ts";

export type IssueKind = Kind<typeof issueSchema>;

/** The issues of a store, each read once. Right for as long as nobody else writes: within a transaction. */
export interface StoredIssues {
  get(id: string): Promise<Issue | undefined>;
  /** What is known already; undefined where there is none, or where nobody asked. */
  known(id: string): Issue | undefined;
  /** Reads many at once, for what is asked of them next. */
  load(ids: readonly string[]): Promise<void>;
  /** Ids of the issues that depend on it in any way. */
  dependents(id: string, options: { readonly closedToo: boolean }): Promise<readonly string[]>;
}

/** The most that one query answers. */
const maxBatch = 1_000;

export function createStoredIssues(store: Store, kind: IssueKind): StoredIssues {
  const issues = new Map<string, Issue | undefined>();
  const dependents = new Map<string, readonly string[]>();

  const get = async (id: string) => {
    if (!issues.has(id)) issues.set(id, (await store.get(kind, id))?.data);
    return issues.get(id);
  };
  const queryDependents = async (id: string, includeClosed: boolean) => {
    const ids: string[] = [];
    for await (const item of everyRecord(store, kind, { filter: { "graph.on": { contains: id } }, includeClosed })) {
      ids.push(item.id);
      issues.set(item.id, item.data);
    }
    return ids;
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
    async dependents(id, { closedToo }) {
      const key = `${closedToo} ${id}`;
      const asked = dependents.get(key);
      if (asked !== undefined) return asked;
      // An issue knows how many depend on it. One that is not there may still be waited for.
      const found = (await get(id))?.graph?.dependents === 0 ? [] : await queryDependents(id, closedToo);
      dependents.set(key, found);
      return found;
    },
  };
}
