import { everyRecord } from "@toolpacks/store";
import type { Store, Stored } from "@toolpacks/core";
import type { IssueKind } from "./graph/draft.ts";
import { itemFields } from "./issue-item.ts";
import type { Issue } from "./issue-record.ts";

export interface Descendant {
  readonly stored: Stored<Issue>;
  /** Levels below the root; 1 for a child. */
  readonly depth: number;
  readonly closed: boolean;
}

/** Reads all descendants of an issue: parents before their children, children by age. An issue with two parents is listed under the first. */
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
      // The stored number of dependents includes the children.
      if (stored.data.graph?.dependents === 0) continue;
      for (const one of await below(stored.id, depth + 1)) found.push(one);
    }
    return found;
  };
  return below(id, 1);
}
