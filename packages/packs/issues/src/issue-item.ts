import { quoteName, type Stored } from "@toolpacks/core";
import { z } from "zod";
import { utc, type Issue } from "./issue-record.ts";

export const issueItem = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  priority: z.int(),
  issue_type: z.string(),
  assignee: z.string().optional(),
  labels: z.array(z.string()).optional(),
  blockers: z.int().optional().describe("how many open issues block it; absent: 0"),
  blocks: z.int().optional().describe("how many open issues it blocks; absent: 0"),
});

export type IssueItem = z.output<typeof issueItem>;

/** An issue in a sorted list, with what it is sorted by. */
export const listedItem = issueItem.extend({
  created: z.string().optional().describe("time, in a list by age"),
  updated: z.string().optional().describe("time, in a list by last change"),
  closed: z.string().optional().describe("time, in a list by closing"),
});

export type ListedIssue = z.output<typeof listedItem>;

/** A field that a list shows because it is sorted by it. */
export type SortKey = "created" | "updated" | "closed" | "blockers" | "blocks";

/** An issue that was written, with its external reference if the call gave one. */
export const writtenItem = issueItem.extend({ external_ref: z.string().optional() });

/** An issue in a list of ready issues, where the status `open` is left out. */
export const readyItem = listedItem.extend({ status: z.string().optional().describe("absent: open") });

export const blockedItem = listedItem.extend({
  blocked_by: z.array(z.string()).describe("open issues that block it, and ancestors that hold it back"),
});

type ReadyItem = z.output<typeof readyItem>;

/** The record fields that `toItem` and `sortValue` need. */
export const itemFields = ["title", "status", "priority", "issue_type", "assignee", "labels", "created_at", "graph"];

export function toItem({ id, data }: Pick<Stored<Issue>, "id" | "data">): IssueItem {
  const { title, status, priority, issue_type, assignee, labels = [], graph } = data;
  const [blockers, blocks] = [graph?.blockers.length ?? 0, graph?.blockedCount ?? 0];
  return {
    id,
    title,
    status,
    priority,
    issue_type,
    ...(assignee !== undefined && assignee !== "" && { assignee }),
    ...(labels.length > 0 && { labels }),
    ...(blockers > 0 && { blockers }),
    ...(blocks > 0 && { blocks }),
  };
}

export function toWrittenItem(stored: Pick<Stored<Issue>, "id" | "data">): z.output<typeof writtenItem> {
  const { external_ref } = stored.data;
  return { ...toItem(stored), external_ref };
}

export function toReadyItem(stored: Parameters<typeof toItem>[0]): ReadyItem {
  const { status, ...item } = toItem(stored);
  return status === "open" ? item : { ...item, status };
}

/** An item with the ids of its open blockers instead of their number, and of its blocked or deferred ancestors. */
export function toBlockedItem(stored: Parameters<typeof toItem>[0]): IssueItem & { blocked_by: string[] } {
  const { blockers: ids = [], under = [] } = stored.data.graph ?? {};
  const { blockers: _count, ...item } = toItem(stored);
  return { ...item, blocked_by: [...ids, ...under] };
}

/** The field that a list is sorted by, also if its value is 0. */
export function sortValue(
  { data: { created_at, graph } }: Pick<Stored<Issue>, "data">,
  key: SortKey | undefined,
): Pick<z.output<typeof listedItem>, SortKey> {
  if (key === undefined) return {};
  const values = {
    created: secondOf(utc(created_at)),
    updated: secondOf(graph?.updated ?? ""),
    closed: secondOf(graph?.closed ?? ""),
    blockers: graph?.blockers.length ?? 0,
    blocks: graph?.blockedCount ?? 0,
  };
  return { [key]: values[key] };
}

/** A time in UTC as `2027-01-31T08:30Z`, because many issues of a list may have the same date. */
function secondOf(time: string): string {
  return time === "" ? "" : `${time.slice(0, 19)}Z`;
}

type RenderedItem = ReadyItem & Pick<z.output<typeof writtenItem>, "external_ref">;

/**
 * Renders an item as one line: id, priority, type, status, title, assignee, labels, then times, numbers of open blockers and of open issues that it
 * blocks, and its external reference.
 */
export function renderItem(item: RenderedItem): string {
  const { id, title, status, priority, issue_type, assignee, labels = [] } = item;
  const { created, updated, closed, blockers, blocks, external_ref } = item;
  const facts = [
    ...(created === undefined ? [] : [`created ${created}`]),
    ...(updated === undefined ? [] : [`updated ${updated}`]),
    ...(closed === undefined ? [] : [`closed ${closed}`]),
    ...(blockers === undefined ? [] : [`blocked by ${blockers}`]),
    ...(blocks === undefined ? [] : [`blocks ${blocks}`]),
    ...(external_ref === undefined ? [] : [`external_ref ${quoteName(external_ref)}`]),
  ];
  return [
    `${quoteName(id)} P${priority} ${quoteName(issue_type)}${status === undefined ? "" : ` ${quoteName(status)}`}: ${quoteName(title)}`,
    ...(assignee === undefined ? [] : [`@${quoteName(assignee)}`]),
    ...labels.map((label) => `#${quoteName(label)}`),
    ...(facts.length === 0 ? [] : [`(${facts.join(", ")})`]),
  ].join(" ");
}
