import { quoteName, type Stored } from "@toolpacks/core";
import { z } from "zod";
import type { Issue } from "./issue-record.ts";

/** An issue in lists. */
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

/** An issue in a list of ready issues, where the status `open` is left out. */
export const readyItem = issueItem.extend({ status: z.string().optional().describe("absent: open") });

type ReadyItem = z.output<typeof readyItem>;

/** The record fields that `toItem` needs. */
export const itemFields = ["title", "status", "priority", "issue_type", "assignee", "labels", "graph"];

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

/** Renders an item as one line: id, priority, type, status, title, assignee, labels, numbers of open blockers and of open issues that it blocks. */
export function renderItem(item: ReadyItem): string {
  const { id, title, status, priority, issue_type, assignee, labels = [], blockers, blocks } = item;
  const counts = [
    ...(blockers === undefined ? [] : [`blocked by ${blockers}`]),
    ...(blocks === undefined ? [] : [`blocks ${blocks}`]),
  ];
  return [
    `${quoteName(id)} P${priority} ${quoteName(issue_type)}${status === undefined ? "" : ` ${quoteName(status)}`}: ${quoteName(title)}`,
    ...(assignee === undefined ? [] : [`@${quoteName(assignee)}`]),
    ...labels.map((label) => `#${quoteName(label)}`),
    ...(counts.length === 0 ? [] : [`(${counts.join(", ")})`]),
  ].join(" ");
}
