import {
  describeIssues,
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
import { issueItem, itemFields, renderItem, type toItem } from "./issue-item.ts";

/** The input fields that filter, sort and page a list of issues. */
export const listFields = {
  where: z
    .record(z.string().max(200), z.unknown())
    .optional()
    .meta(
      detail(
        "all must hold: issue_type, priority, assignee (empty: nobody), label, parent, on (depends on this), text (words that all occur)",
      ),
    ),
  sort: z
    .string()
    .max(200)
    .optional()
    .meta(detail("priority (then age), created, updated, status, issue_type, assignee; - descends")),
  limit: z.int().min(0).max(1_000_000).optional().meta(detail("default: few of many")),
  cursor: z.string().max(8_000).optional().meta(detail("from the page before")),
};

/** The conditions of `where`. All must hold. */
const conditions = z.strictObject({
  status: z.string().max(40).optional(),
  issue_type: z.string().max(40).optional(),
  priority: z.int().min(0).max(4).optional(),
  assignee: z.string().max(200).optional(),
  label: z.string().max(200).optional(),
  parent: z.string().max(200).optional(),
  on: z.string().max(200).optional(),
  text: z.string().max(1_000).optional(),
});

const listInput = z.object(listFields);
type ListRequest = z.output<typeof listInput>;
type Conditions = z.output<typeof conditions>;

/** @throws ToolError `invalid_input` naming the condition */
export function readConditions(where: ListRequest["where"]): Conditions {
  const checked = conditions.safeParse(where ?? {});
  if (checked.success) return checked.data;
  const known = Object.keys(conditions.shape);
  throw new ToolError(
    "invalid_input",
    `where: ${describeIssues(checked.error.issues, conditions)}`,
    `Known: ${known.join(", ")}.`,
  );
}

export const listOutput = listSchema(issueItem);
export const blockedItem = issueItem.extend({
  blocked_by: z.array(z.string()).describe("open issues that block it, and ancestors that hold it back"),
});
export const blockedOutput = listSchema(blockedItem);

const sorts: Readonly<Record<string, readonly string[]>> = {
  priority: ["priority"],
  created: ["graph.age"],
  updated: ["graph.updated"],
  status: ["status", "priority"],
  issue_type: ["issue_type"],
  assignee: ["assignee", "priority"],
};

export interface Listing<Item> {
  /** The list's own filter, which the request's filter is combined with. */
  readonly filter: Filter;
  readonly includeClosed?: boolean;
  readonly item: (stored: Parameters<typeof toItem>[0]) => Item;
}

/** Reads a page of issues. Default order: by priority, then age. */
export async function listIssues<Item>(
  { store, kind, compaction }: Pick<IssuesContext, "store" | "kind" | "compaction">,
  request: ListRequest,
  { filter, includeClosed = false, item }: Listing<Item>,
) {
  const { limit, cursor } = request;
  const where = readConditions(request.where);
  const { text } = where;
  const query: Query = {
    filter: { and: [toFilter(where), filter] },
    sort: sortFields(request.sort ?? "priority"),
    fields: itemFields,
    compaction,
    skipDamaged: true,
    includeClosed,
    ...(text !== undefined && { text }),
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
  };
  const page = await store.query(kind, query);
  return recordList(page, item, "Narrow it, or name a limit.");
}

export function renderIssues(page: ListPage<Parameters<typeof renderItem>[0]>): string {
  return renderList(page, renderItem);
}

/** Imported files have both forms. */
export const unassigned: Filter = { or: [{ assignee: null }, { assignee: "" }] };

function toFilter({ status, issue_type, priority, assignee, label, parent, on }: Conditions): Filter {
  return {
    ...(status !== undefined && status !== "all" && { status }),
    ...(issue_type !== undefined && { issue_type }),
    ...(priority !== undefined && { priority }),
    ...(assignee !== undefined && (assignee === "" ? unassigned : { assignee })),
    ...(label !== undefined && { labels: { contains: label } }),
    ...(parent !== undefined && { "graph.parents": { contains: parent } }),
    ...(on !== undefined && { "graph.on": { contains: on } }),
  };
}

function sortFields(sort: string): readonly string[] {
  const descends = sort.startsWith("-");
  const name = descends ? sort.slice(1) : sort;
  const fields = Object.hasOwn(sorts, name) ? sorts[name] : undefined;
  if (fields === undefined) {
    throw new ToolError("invalid_input", `sort: expected one of ${Object.keys(sorts).join(", ")}, with - to descend`);
  }
  return descends ? fields.map((field, at) => (at === 0 ? `-${field}` : field)) : fields;
}
