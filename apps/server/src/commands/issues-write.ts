import { definedOnly } from "@toolpacks/core";
import type { ListedIssue } from "@toolpacks/issues/tracker";
import type { Flags } from "../config/settings.ts";
import { print } from "../print.ts";
import { callTool, showResult } from "./open-tools.ts";

export interface IssueCreateFlags extends Flags {
  readonly type?: string;
  readonly priority?: number;
  readonly parent?: string;
  readonly needs?: readonly string[];
  readonly label?: readonly string[];
  readonly assignee?: string;
  readonly description?: string;
  readonly json?: boolean;
}

interface Closed {
  readonly items: readonly ListedIssue[];
  /** The issues that nothing blocks any more. */
  readonly unblocked: readonly ListedIssue[];
}

/** `toolpacks issues create`: creates an issue. */
export async function createIssue(title: string, flags: IssueCreateFlags): Promise<void> {
  const { type, priority, parent, needs, label, assignee, description } = flags;
  const issue = { title, issue_type: type, priority, parent, depends: needs, labels: label, assignee, description };
  const args = { issues: [definedOnly(issue)] };
  const result = await callTool<Pick<Closed, "items">>(flags, "issue_create", args);
  showResult(result, flags, ({ items }) => print(...items.map((item) => renderChange("created", item))));
}

/** `toolpacks issues close`: closes issues, all or none, and names the issues that this unblocks. */
export async function closeIssues(
  ids: readonly string[],
  flags: Flags & { reason?: string; json?: boolean },
): Promise<void> {
  const result = await callTool<Closed>(flags, "issue_close", definedOnly({ ids, reason: flags.reason }));
  showResult(result, flags, ({ items, unblocked }) => {
    print(...items.map((item) => renderChange("closed", item)));
    print(...unblocked.map((item) => renderChange("unblocked", item)));
  });
}

function renderChange(change: string, { id, title }: ListedIssue): string {
  return `${change} ${id}: ${title}`;
}
