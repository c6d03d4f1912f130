import { quoteName, type Stored } from "@toolpacks/core";
import { z } from "zod";
import type { Issue } from "./issue-record.ts";

/** An issue as lists show it: what decides whether one looks closer. */
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

/** In a list of what is ready, each is open, which need not be said again. */
export const readyItem = issueItem.extend({ status: z.string().optional().describe("absent: open") });

type ReadyItem = z.output<typeof readyItem>;

/** The fields of a record that an item is made of. */
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

/** With the open issues that block it, and the ancestors that hold it back. */
export function toBlockedItem(stored: Parameters<typeof toItem>[0]): IssueItem & { blocked_by: string[] } {
  const { blockers = [], under = [] } = stored.data.graph ?? {};
  return { ...toItem(stored), blocked_by: [...blockers, ...under] };
}

/** One line: id, priority, type, status, title, then whoever has it, labels, and how many it depends on and is depended on by. */
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
