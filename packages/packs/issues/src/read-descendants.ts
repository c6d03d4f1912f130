import { everyRecord, type Store, type Stored } from "@toolpacks/core";
import type { IssueKind } from "./graph/stored-issues.ts";
import { itemFields } from "./issue-item.ts";
import type { Issue } from "./issue-record.ts";

export interface Descendant {
  readonly stored: Stored<Issue>;
  /** 1 for a child. */
  readonly depth: number;
  readonly closed: boolean;
}

/** Everything under an issue, each parent before its children, children by age; an issue with two parents under the first. */
export async function readDescendants(
  { store, kind }: { readonly store: Store; readonly kind: IssueKind },
  id: string,
): Promise<readonly Descendant[]> {
  const seen = new Set([id]);
  const below = async (parent: string, depth: number): Promise<readonly Descendant[]> => {
    const found: Descendant[] = [];
    const filter = { "graph.parents": { contains: parent } };
    const children = everyRecord(store, kind, { filter, sort: ["graph.age"], fields: itemFields, includeClosed: true });
    for await (const stored of children) {
      if (seen.has(stored.id)) continue;
      seen.add(stored.id);
      found.push({ stored, depth, closed: stored.closed });
      // An issue knows how many depend on it, its children among them.
      if (stored.data.graph?.dependents === 0) continue;
      for (const one of await below(stored.id, depth + 1)) found.push(one);
    }
    return found;
  };
  return below(id, 1);
}
