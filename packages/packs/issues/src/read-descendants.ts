import type { Store, Stored } from "@toolpacks/core";
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
    for (const stored of await readChildren({ store, kind }, parent)) {
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

async function readChildren(
  { store, kind }: { readonly store: Store; readonly kind: IssueKind },
  parent: string,
): Promise<readonly Stored<Issue>[]> {
  const children: Stored<Issue>[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.query(kind, {
      filter: { "graph.parents": { contains: parent } },
      sort: ["graph.age"],
      fields: itemFields,
      includeClosed: true,
      limit: 1_000,
      ...(cursor !== undefined && { cursor }),
    });
    children.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) return children;
  }
}
