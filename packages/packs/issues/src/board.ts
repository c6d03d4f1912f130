import type { Query, Store } from "@toolpacks/core";
import { addCounts } from "./graph/add-counts.ts";
import type { IssueKind } from "./graph/stored-issues.ts";
import { itemFields, toBlockedItem, toItem, type IssueItem } from "./issue-item.ts";
import { readyFilter } from "./ready-filter.ts";

export interface BoardColumn {
  readonly name: "ready" | "in progress" | "blocked" | "closed lately";
  readonly items: readonly (IssueItem & { readonly blocked_by?: readonly string[] })[];
  readonly total: number;
}

/** @param limit maximum number of issues in a column */
export async function readBoard(
  { store, kind }: { readonly store: Store; readonly kind: IssueKind },
  limit: number,
): Promise<readonly BoardColumn[]> {
  await addCounts({ store, kind });
  const now = new Date();
  const weekAgo = new Date(now.getTime() - 7 * 24 * 3_600_000).toISOString();
  const sort = ["priority"];
  const column = async (name: BoardColumn["name"], query: Query): Promise<BoardColumn> => {
    const { items, total } = await store.query(kind, { ...query, fields: itemFields, limit, countAll: true });
    return { name, items: items.map(name === "blocked" ? toBlockedItem : toItem), total };
  };
  return [
    await column("ready", { filter: readyFilter({ now: now.toISOString() }), sort }),
    await column("in progress", { filter: { status: "in_progress" }, sort }),
    await column("blocked", { filter: { "graph.state": "blocked" }, sort }),
    await column("closed lately", {
      filter: { status: "closed", "graph.closed": { gt: weekAgo } },
      sort: ["-graph.closed"],
      includeClosed: true,
    }),
  ];
}
