import type { Store } from "@toolpacks/core";
import { dependsOn, holdsBack, waitsOf, type Issue } from "../issue-record.ts";
import { createStoredIssues, type ChildFilter, type IssueKind, type StoredIssues } from "./stored-issues.ts";

/** Proposed changes of a transaction over the stored issues. */
export interface Draft extends Pick<StoredIssues, "load" | "dependents" | "waiters" | "gates" | "children"> {
  /** The proposed issue, otherwise the stored one; undefined if there is none. */
  get(id: string): Promise<Issue | undefined>;
  /** The stored issue; undefined if it is new. */
  stored(id: string): Promise<Issue | undefined>;
  /** Proposes an issue; undefined proposes its deletion. */
  set(id: string, issue: Issue | undefined): void;
  /** Every proposal that differs from the stored issue, in the order of the first proposals. */
  proposals(): readonly { readonly id: string; readonly issue: Issue | undefined }[];
}

/** @param store the transaction's store */
export function createDraft(store: Store, kind: IssueKind): Draft {
  const stored = createStoredIssues(store, kind);
  const proposed = new Map<string, Issue | undefined>();
  /** Ids of proposed issues by the id that they depend on. A later proposal may have removed the dependency. */
  const references = new Map<string, Set<string>>();
  const get = async (id: string) => (proposed.has(id) ? proposed.get(id) : stored.get(id));
  const isChild = async (child: string, parent: string, filter: ChildFilter) => {
    const issue = await get(child);
    if (issue === undefined || !dependsOn(issue, "parent-child").includes(parent)) return false;
    return filter === "open" ? holdsBack(issue) : issue.status === "closed";
  };
  return {
    get,
    stored: (id) => stored.get(id),
    load: (ids) => stored.load(ids),
    gates: (id) => stored.gates(id),
    set(id, issue) {
      proposed.set(id, issue);
      for (const target of issue === undefined ? [] : dependsOn(issue)) {
        const from = references.get(target) ?? new Set();
        references.set(target, from.add(id));
      }
    },
    async dependents(id, options) {
      const ids = new Set([...(await stored.dependents(id, options)), ...(references.get(id) ?? [])]);
      const found = await Promise.all([...ids].map(async (one) => ({ one, issue: await get(one) })));
      return found.flatMap(({ one, issue }) => (issue !== undefined && dependsOn(issue).includes(id) ? [one] : []));
    },
    async waiters(id) {
      const ids = new Set([...(await stored.waiters(id)), ...(references.get(id) ?? [])]);
      const found = await Promise.all([...ids].map(async (one) => ({ one, issue: await get(one) })));
      return found.flatMap(({ one, issue }) =>
        issue !== undefined && waitsOf(issue).some(({ on }) => on === id) ? [one] : [],
      );
    },
    async *children(id, filter) {
      const seen = new Set<string>();
      for (const one of references.get(id) ?? []) {
        seen.add(one);
        if (await isChild(one, id, filter)) yield one;
      }
      for await (const one of stored.children(id, filter)) {
        if (!seen.has(one) && (await isChild(one, id, filter))) yield one;
      }
    },
    proposals: () => [...proposed].flatMap(([id, issue]) => (issue === stored.known(id) ? [] : [{ id, issue }])),
  };
}
