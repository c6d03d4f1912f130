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
  dependencies: z.int().optional().describe("how many it depends on"),
  dependents: z.int().optional().describe("how many depend on it"),
});

export type IssueItem = z.output<typeof issueItem>;

/** An issue in a list of ready issues, where the status `open` is left out. */
export const readyItem = issueItem.extend({ status: z.string().optional().describe("absent: open") });

type ReadyItem = z.output<typeof readyItem>;

/** The record fields that `toItem` needs. */
export const itemFields = ["title", "status", "priority", "issue_type", "assignee", "labels", "graph"];

export function toItem({ id, data }: Pick<Stored<Issue>, "id" | "data">): IssueItem {
  const { title, status, priority, issue_type, assignee, labels = [], graph } = data;
  return {
    id,
    title,
    status,
    priority,
    issue_type,
    ...(assignee !== undefined && assignee !== "" && { assignee }),
    ...(labels.length > 0 && { labels }),
    ...((graph?.on.length ?? 0) > 0 && { dependencies: graph?.on.length }),
    ...((graph?.dependents ?? 0) > 0 && { dependents: graph?.dependents }),
  };
}

export function toReadyItem(stored: Parameters<typeof toItem>[0]): ReadyItem {
  const { status, ...item } = toItem(stored);
  return status === "open" ? item : { ...item, status };
}

/** An item with its open blockers, and its blocked or deferred ancestors. */
export function toBlockedItem(stored: Parameters<typeof toItem>[0]): IssueItem & { blocked_by: string[] } {
  const { blockers = [], under = [] } = stored.data.graph ?? {};
  return { ...toItem(stored), blocked_by: [...blockers, ...under] };
}

/** Renders an item as one line: id, priority, type, status, title, assignee, labels, numbers of dependencies and dependents. */
export function renderItem(item: ReadyItem): string {
  const { id, title, status, priority, issue_type, assignee, labels = [], dependencies, dependents } = item;
  return [
    `${quoteName(id)} P${priority} ${quoteName(issue_type)}${status === undefined ? "" : ` ${quoteName(status)}`}: ${quoteName(title)}`,
    ...(assignee === undefined ? [] : [`@${quoteName(assignee)}`]),
    ...labels.map((label) => `#${quoteName(label)}`),
    ...(dependencies === undefined ? [] : [`needs ${dependencies}`]),
    ...(dependents === undefined ? [] : [`needed by ${dependents}`]),
  ].join(" ");
}
