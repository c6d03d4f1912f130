import {
  detail,
  listSchema,
  recordList,
  renderList,
  ToolError,
  type Filter,
  type ListPage,
  type Query,
} from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "./context.ts";
import { issueItem, itemFields, type toItem } from "./issue-item.ts";
import { admitsClosed, readConditions, toFilter, whereField, type Conditions } from "./where.ts";

/** The input fields that filter, sort and page a list of issues. */
export const listFields = {
  where: whereField,
  sort: z
    .string()
    .max(200)
    .optional()
    .meta(
      detail(
        "priority (then age), oldest, newest, updated, status, type, assignee, blocks, blockers; - descends; default: priority, with text the best match",
      ),
    ),
  limit: z.int().min(0).max(1_000_000).optional().meta(detail("default: few of many")),
  cursor: z.string().max(8_000).optional().meta(detail("from the page before")),
};

const listInput = z.object(listFields);
type ListRequest = z.output<typeof listInput>;

export const listOutput = listSchema(issueItem);
export const blockedItem = issueItem.extend({
  blocked_by: z.array(z.string()).describe("open issues that block it, and ancestors that hold it back"),
});
export const blockedOutput = listSchema(blockedItem);

const sorts: Readonly<Record<string, readonly string[]>> = {
  priority: ["priority"],
  oldest: ["graph.age"],
  newest: ["-graph.age"],
  age: ["graph.age"],
  created: ["graph.age"],
  created_at: ["graph.age"],
  updated: ["graph.updated"],
  updated_at: ["graph.updated"],
  status: ["status", "priority"],
  type: ["issue_type"],
  issue_type: ["issue_type"],
  assignee: ["assignee", "priority"],
  blockers: ["graph.blockerCount", "priority"],
  blocks: ["graph.blockedCount", "priority"],
};

export interface Listing<Item> {
  /** The list's own filter, which the request's filter is combined with. */
  readonly filter: Filter;
  /** The order without `sort`. Default: by priority, then age; with `text`, the best matches first. */
  readonly sort?: string;
  readonly item: (stored: Parameters<typeof toItem>[0]) => Item;
}

/** Reads a page of issues. */
export async function listIssues<Item>(
  { store, kind, compaction }: Pick<IssuesContext, "store" | "kind" | "compaction">,
  request: ListRequest,
  { filter, sort: defaultSort, item }: Listing<Item>,
) {
  const { limit, cursor } = request;
  const where = readConditions(request.where);
  const sort = request.sort ?? defaultSort ?? (where.text === undefined ? "priority" : undefined);
  const page = await store.query(kind, {
    ...matching(where, filter),
    ...(sort !== undefined && { sort: sortFields(sort) }),
    fields: itemFields,
    compaction,
    skipDamaged: true,
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
  });
  return recordList(page, item, "Narrow it, or name a limit.");
}

/** The query for issues that match the conditions and a filter. */
export function matching(where: Conditions, filter: Filter = {}): Query {
  return {
    filter: { and: [toFilter(where), filter] },
    includeClosed: admitsClosed(where),
    ...(where.text !== undefined && { text: where.text }),
  };
}

/** Renders a list as one line per issue, with the total, also if the list is complete. */
export function renderIssues<Item>({ hint, ...page }: ListPage<Item>, line: (item: Item) => string): string {
  const isWhole = page.items.length > 0 && page.items.length === page.total && page.cursor === undefined;
  return [
    renderList(page, line),
    ...(isWhole ? [`(${page.total} of ${page.total})`] : []),
    ...(hint === undefined ? [] : [hint]),
  ].join("\n");
}

function sortFields(sort: string): readonly string[] {
  const descends = sort.startsWith("-");
  const name = descends ? sort.slice(1) : sort;
  const fields = Object.hasOwn(sorts, name) ? sorts[name] : undefined;
  if (fields === undefined) {
    throw new ToolError("invalid_input", `sort: expected one of ${Object.keys(sorts).join(", ")}, with - to descend`);
  }
  const [first = "", ...rest] = fields;
  return descends ? [first.startsWith("-") ? first.slice(1) : `-${first}`, ...rest] : fields;
}
