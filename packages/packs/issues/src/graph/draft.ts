import type { Store } from "@toolpacks/core";
import { dependsOn, type Issue } from "../issue-record.ts";
import { createStoredIssues, type IssueKind, type StoredIssues } from "./stored-issues.ts";

/** Issues as a transaction is about to leave them, over those that are stored. */
export interface Draft extends Pick<StoredIssues, "load" | "dependents"> {
  /** As it would be; undefined when there is none. */
  get(id: string): Promise<Issue | undefined>;
  /** As it is stored; undefined when it is new. */
  stored(id: string): Promise<Issue | undefined>;
  /** Proposes an issue; undefined proposes that there is none. */
  set(id: string, issue: Issue | undefined): void;
  /** Every proposal that differs from what is stored, in the order in which they were first made. */
  proposals(): readonly { readonly id: string; readonly issue: Issue | undefined }[];
}

/** @param store that of a transaction */
export function createDraft(store: Store, kind: IssueKind): Draft {
  const stored = createStoredIssues(store, kind);
  const proposed = new Map<string, Issue | undefined>();
  /** By what they depend on: those proposed, some of which may since have been proposed otherwise. */
  const references = new Map<string, Set<string>>();
  const get = async (id: string) => (proposed.has(id) ? proposed.get(id) : stored.get(id));
  return {
    get,
    stored: (id) => stored.get(id),
    load: (ids) => stored.load(ids),
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
    proposals: () => [...proposed].flatMap(([id, issue]) => (issue === stored.known(id) ? [] : [{ id, issue }])),
  };
}
