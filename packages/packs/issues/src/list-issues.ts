import { detail, listed, renderList, type Filter, type ListPage, type Query } from "@toolpacks/core";
import { recordList, searchText } from "@toolpacks/store";
import { z } from "zod";
import type { IssuesContext } from "./context.ts";
import { itemFields, sortValue, type SortKey, type toItem } from "./issue-item.ts";
import { admitsClosed, readConditions, toFilter, unusualStatuses, type Conditions } from "./where.ts";

/** An order of a list: the record fields that it sorts by, and the field that shows it. */
interface Order {
  readonly by: readonly string[];
  readonly shows?: SortKey;
}

const orders = {
  priority: { by: ["priority"] },
  oldest: { by: ["graph.age"], shows: "created" },
  newest: { by: ["-graph.age"], shows: "created" },
  updated: { by: ["-graph.updated"], shows: "updated" },
  stale: { by: ["graph.updated"], shows: "updated" },
  closed: { by: ["-graph.closed"], shows: "closed" },
  blocks: { by: ["-graph.blockedCount", "priority"], shows: "blocks" },
  blockers: { by: ["-graph.blockerCount", "priority"], shows: "blockers" },
  status: { by: ["status", "priority"] },
  type: { by: ["issue_type"] },
  assignee: { by: ["assignee", "priority"] },
} as const satisfies Readonly<Record<string, Order>>;

type OrderName = keyof typeof orders;

/** Other names of orders. Counts and times of changes always descend; `stale` is the other way round. */
const otherNames: Readonly<Record<string, OrderName>> = {
  "-blocks": "blocks",
  "-blockers": "blockers",
  age: "oldest",
  created: "oldest",
  created_at: "oldest",
  updated_at: "updated",
  "-updated": "updated",
  "-updated_at": "updated",
  closed_at: "closed",
  "-closed": "closed",
  "-closed_at": "closed",
  "-age": "newest",
  "-created": "newest",
  "-created_at": "newest",
  "-oldest": "newest",
  "-newest": "oldest",
  issue_type: "type",
};

function renameOrder(sort: unknown): unknown {
  return typeof sort === "string" && Object.hasOwn(otherNames, sort) ? otherNames[sort] : sort;
}

const sortField = z
  .preprocess(renameOrder, z.enum(Object.keys(orders) as OrderName[]))
  .optional()
  .meta({
    ...detail("counts: most first; default: priority, then age; with text the best match"),
    ...listed({ type: "string" }),
  });

/** The input fields that filter, sort and page a list of issues. */
export function listFields({ over, show }: IssuesContext["compaction"]) {
  return {
    sort: sortField,
    limit: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta(detail(`default: all up to ${over}, ${show} of more`)),
    cursor: z.string().max(8_000).optional().meta(detail("from the page before")),
  };
}

type ListRequest = z.output<z.ZodObject<ReturnType<typeof listFields>>> & {
  readonly where?: Readonly<Record<string, unknown>> | undefined;
};

export interface Listing<Item> {
  /** The list's own filter, which the request's filter is combined with. */
  readonly filter: Filter;
  /** The order without `sort`. Default: by priority, then age; with `text`, the best matches first. */
  readonly sort?: OrderName;
  readonly item: (stored: Parameters<typeof toItem>[0]) => Item;
  /** Maximum number of issues that are counted. Default: the store's. */
  readonly countTo?: number;
}

export async function listIssues<Item>(
  { store, kind, compaction }: Pick<IssuesContext, "store" | "kind" | "compaction">,
  request: ListRequest,
  { filter, sort: defaultSort, item, countTo }: Listing<Item>,
) {
  const { limit, cursor } = request;
  const where = readConditions(request.where);
  const sort = request.sort ?? defaultSort ?? (where.text === undefined ? "priority" : undefined);
  const order: Order | undefined = sort && orders[sort];
  const query = {
    ...matching(where, filter),
    sort: order?.by,
    fields: itemFields,
    compaction,
    skipDamaged: true,
    countTo,
    limit,
    cursor,
  };
  const page = await searchText(store, kind, query);
  const toListed = (stored: Parameters<typeof toItem>[0]) => ({ ...item(stored), ...sortValue(stored, order?.shows) });
  const { hint, ...list } = recordList(page, toListed, "Narrow it with where, or set limit.");
  const hints = [hint, ...(page.total === 0 ? unusualStatuses(where) : [])].filter((one) => one !== undefined);
  return { ...list, hint: hints.join("\n") || undefined };
}

export function matching(where: Conditions, filter: Filter = {}): Query {
  return {
    filter: { and: [toFilter(where), filter] },
    includeClosed: admitsClosed(where),
    text: where.text,
  };
}

/** Renders a list as one line per issue, with the total, also if the list is complete. A compacted list is continued by a limit, not by its cursor. */
export function renderIssues<Item>({ hint, cursor, ...page }: ListPage<Item>, line: (item: Item) => string): string {
  const isWhole = page.items.length > 0 && page.items.length === page.total && cursor === undefined;
  return [
    renderList(page.compacted === true ? page : { ...page, cursor }, line),
    ...(isWhole ? [`(${page.total} of ${page.total})`] : []),
    ...(hint === undefined ? [] : [hint]),
  ].join("\n");
}
