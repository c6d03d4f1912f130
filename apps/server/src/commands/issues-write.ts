import { definedOnly, ToolError } from "@toolpacks/core";
import type { ListedIssue } from "@toolpacks/issues/tracker";
import type { Flags } from "../config/settings.ts";
import { print } from "../print.ts";
import { callTool, requireValue, showResult, withTools, type ToolResult } from "./open-tools.ts";

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

/** `toolpacks issues answer`: closes a gate with an answer. An issue that is no open gate is refused. */
export async function answerGate(id: string, text: string, flags: Flags & { json?: boolean }): Promise<void> {
  const result = await withTools(flags, async (tools) => {
    const shown = await tools.call<{ readonly issues: readonly ListedIssue[] }>({
      tool: "issue_show",
      args: { ids: [id] },
    });
    requireOpenGate(requireValue(shown).issues[0], id);
    return tools.call<Closed>({ tool: "issue_close", args: { ids: [id], reason: text } });
  });
  showClosed(result, "answered", flags);
}

function requireOpenGate(issue: ListedIssue | undefined, id: string): void {
  if (issue?.issue_type !== "gate") {
    throw new ToolError("invalid_input", `${id}: not a gate`, `To close an issue: toolpacks issues close ${id}`);
  }
  if (issue.status === "closed") {
    throw new ToolError("conflict", `${id}: answered already`, `The answer: toolpacks issues show ${id}`);
  }
}

/** `toolpacks issues close`: closes issues, all or none, and names the issues that this unblocks. */
export async function closeIssues(
  ids: readonly string[],
  flags: Flags & { reason?: string; json?: boolean },
): Promise<void> {
  const result = await callTool<Closed>(flags, "issue_close", definedOnly({ ids, reason: flags.reason }));
  showClosed(result, "closed", flags);
}

function showClosed(result: ToolResult<Closed>, change: string, flags: { readonly json?: boolean }): void {
  showResult(result, flags, ({ items, unblocked }) => {
    print(...items.map((item) => renderChange(change, item)));
    print(...unblocked.map((item) => renderChange("unblocked", item)));
  });
}

function renderChange(change: string, { id, title }: ListedIssue): string {
  return `${change} ${id}: ${title}`;
}
