import { everyRecord } from "@toolpacks/store";
import type { Filter, Kind, Query, Store } from "@toolpacks/core";
import { awaitedIssue, dependsOn, holdsBack, waitsOf, type Issue, type issueSchema } from "../issue-record.ts";

export type IssueKind = Kind<ReturnType<typeof issueSchema>>;

/** Which children are read: those that hold others back, or those with the status `closed`. */
type ChildFilter = "open" | "closed";

/** Proposed changes of a transaction over the stored issues, each of which is read once. */
export interface Draft {
  /** The proposed issue, otherwise the stored one; undefined if there is none. */
  get(id: string): Promise<Issue | undefined>;
  /** The stored issue; undefined if it is new. */
  stored(id: string): Promise<Issue | undefined>;
  load(ids: readonly string[]): Promise<void>;
  /** Proposes an issue; undefined proposes its deletion. */
  set(id: string, issue: Issue | undefined): void;
  /** Ids of the issues that have any dependency on an issue. */
  dependents(id: string, options: { readonly includeClosed: boolean }): Promise<readonly string[]>;
  /** Ids of the issues that wait for the children of an issue. */
  waiters(id: string): Promise<readonly string[]>;
  /** Ids of the stored open gates that wait for an issue. */
  gates(id: string): Promise<readonly string[]>;
  /** Ids of the children of an issue, read from the store as far as they are needed. */
  children(id: string, filter: ChildFilter): AsyncIterable<string>;
  /** Every proposal that differs from the stored issue, in the order of the first proposals. */
  proposals(): readonly { readonly id: string; readonly issue: Issue | undefined }[];
}

const maxBatch = 1_000;

/** @param store the transaction's store */
export function createDraft(store: Store, kind: IssueKind): Draft {
  const { read, stored, find, findOpen, findDependents } = createReader(store, kind);
  const proposed = new Map<string, Issue | undefined>();
  /** Ids of proposed issues by the id that they depend on. A later proposal may have removed the dependency. */
  const references = new Map<string, Set<string>>();
  const get = async (id: string) => (proposed.has(id) ? proposed.get(id) : stored(id));
  /** The ids of the stored issues that were found, and of the proposed ones that depend on an issue, of which the proposed state matches. */
  const matching = async (id: string, found: readonly string[], isMatch: (issue: Issue) => boolean) => {
    const ids = [...new Set([...found, ...(references.get(id) ?? [])])];
    const issues = await Promise.all(ids.map(get));
    return ids.filter((_, at) => {
      const issue = issues[at];
      return issue !== undefined && isMatch(issue);
    });
  };
  return {
    get,
    stored,
    async load(ids) {
      for (let at = 0; at < ids.length; at += maxBatch) {
        const some = ids.slice(at, at + maxBatch);
        for (const id of some) read.set(id, undefined);
        await Array.fromAsync(find({ filter: { id: { in: some } }, includeClosed: true }));
      }
    },
    set(id, issue) {
      proposed.set(id, issue);
      for (const target of issue === undefined ? [] : dependsOn(issue)) {
        const from = references.get(target) ?? new Set();
        references.set(target, from.add(id));
      }
    },
    dependents: async (id, { includeClosed }) =>
      matching(id, await findDependents(id, includeClosed), (issue) => dependsOn(issue).includes(id)),
    waiters: async (id) =>
      matching(id, await findOpen({ "graph.waits": { contains: id } }), (issue) =>
        waitsOf(issue).some(({ on }) => on === id),
      ),
    async gates(id) {
      const found = await findOpen({ await_id: id });
      return found.filter((gate) => {
        const issue = read.get(gate);
        return issue !== undefined && awaitedIssue(issue) === id;
      });
    },
    async *children(id, filter) {
      const isChild = async (child: string) => {
        const issue = await get(child);
        if (issue === undefined || !dependsOn(issue, "parent-child").includes(id)) return false;
        return filter === "open" ? holdsBack(issue) : issue.status === "closed";
      };
      const proposedIds = references.get(id) ?? new Set();
      for (const one of proposedIds) if (await isChild(one)) yield one;
      const status = filter === "open" ? {} : { status: "closed" };
      const query = { filter: { "graph.parents": { contains: id }, ...status }, includeClosed: filter === "closed" };
      for await (const one of find(query)) if (!proposedIds.has(one) && (await isChild(one))) yield one;
    },
    proposals: () => [...proposed].flatMap(([id, issue]) => (issue === read.get(id) ? [] : [{ id, issue }])),
  };
}

function createReader(store: Store, kind: IssueKind) {
  const read = new Map<string, Issue | undefined>();
  const dependents = new Map<string, readonly string[]>();
  const stored = async (id: string) => {
    if (!read.has(id)) read.set(id, (await store.get(kind, id))?.data);
    return read.get(id);
  };
  /** The ids of the stored issues that match. */
  const find = async function* (query: Query) {
    for await (const { id, data } of everyRecord(store, kind, query)) {
      read.set(id, data);
      yield id;
    }
  };
  return {
    read,
    stored,
    find,
    findOpen: (filter: Filter) => Array.fromAsync(find({ filter, includeClosed: false })),
    findDependents: async (id: string, includeClosed: boolean) => {
      const key = `${includeClosed} ${id}`;
      const known = dependents.get(key);
      if (known !== undefined) return known;
      // An issue stores its number of dependents. A missing issue may have dependents too.
      const hasNone = (await stored(id))?.graph?.dependents === 0;
      const query = { filter: { "graph.on": { contains: id } }, includeClosed };
      const found = hasNone ? [] : await Array.fromAsync(find(query));
      dependents.set(key, found);
      return found;
    },
  };
}
