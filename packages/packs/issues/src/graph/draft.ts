import type { Kind, Store } from "@toolpacks/core";
import { dependsOn, type Issue, type issueSchema } from "../issue-record.ts";

export type IssueKind = Kind<typeof issueSchema>;

/** Issues as a transaction is about to leave them, over those that are stored. */
export interface Draft {
  /** As it would be; undefined when there is none. */
  get(id: string): Promise<Issue | undefined>;
  /** As it is stored; undefined when it is new. */
  stored(id: string): Promise<Issue | undefined>;
  /** Reads many at once, for what is asked of them next. */
  load(ids: readonly string[]): Promise<void>;
  /** Proposes an issue; undefined proposes that there is none. */
  set(id: string, issue: Issue | undefined): void;
  /** Ids of the issues that depend on it in any way. */
  dependents(id: string, options: { readonly closedToo: boolean }): Promise<readonly string[]>;
  /** Every proposal that differs from what is stored, in the order in which they were first made. */
  proposals(): readonly { readonly id: string; readonly issue: Issue | undefined }[];
}

const pageSize = 1_000;

/** @param store that of a transaction */
export function createDraft(store: Store, kind: IssueKind): Draft {
  const stored = new Map<string, Issue | undefined>();
  const proposed = new Map<string, Issue | undefined>();
  /** By what they depend on: those proposed, some of which may since have been proposed otherwise. */
  const references = new Map<string, Set<string>>();
  const asked = new Map<string, readonly string[]>();

  const read = async (id: string) => {
    if (!stored.has(id)) stored.set(id, (await store.get(kind, id))?.data);
    return stored.get(id);
  };
  /** Those stored, asked for once; none are asked for where it is known that there are none. */
  const readDependents = async (id: string, closedToo: boolean) => {
    const key = `${closedToo} ${id}`;
    const known =
      asked.get(key) ?? ((await read(id))?.graph?.dependents === 0 ? [] : await queryDependents(id, closedToo));
    asked.set(key, known);
    return known;
  };
  const queryDependents = async (id: string, includeClosed: boolean) => {
    const ids: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await store.query(kind, {
        filter: { "graph.on": { contains: id } },
        includeClosed,
        limit: pageSize,
        ...(cursor !== undefined && { cursor }),
      });
      for (const item of page.items) {
        ids.push(item.id);
        stored.set(item.id, item.data);
      }
      cursor = page.cursor;
      if (cursor === undefined) return ids;
    }
  };
  const get = async (id: string) => (proposed.has(id) ? proposed.get(id) : read(id));
  return {
    get,
    stored: read,
    async load(ids) {
      for (let at = 0; at < ids.length; at += pageSize) {
        const some = ids.slice(at, at + pageSize);
        const query = { filter: { id: { in: some } }, includeClosed: true, limit: pageSize };
        const { items } = await store.query(kind, query);
        for (const id of some) stored.set(id, undefined);
        for (const { id, data } of items) stored.set(id, data);
      }
    },
    set(id, issue) {
      proposed.set(id, issue);
      for (const target of issue === undefined ? [] : dependsOn(issue)) {
        const from = references.get(target) ?? new Set();
        references.set(target, from.add(id));
      }
    },
    async dependents(id, { closedToo }) {
      const ids = new Set(references.get(id));
      for (const one of await readDependents(id, closedToo)) ids.add(one);
      const found = await Promise.all([...ids].map(async (one) => ({ one, issue: await get(one) })));
      return found.flatMap(({ one, issue }) => (issue !== undefined && dependsOn(issue).includes(id) ? [one] : []));
    },
    proposals: () => [...proposed].flatMap(([id, issue]) => (issue === stored.get(id) ? [] : [{ id, issue }])),
  };
}
