import { definedOnly } from "@toolpacks/core";
import type { ListedIssue } from "@toolpacks/issues/tracker";
import type { Flags } from "../config/settings.ts";
import { printTable, type Column } from "../print-table.ts";
import { printError } from "../print.ts";
import { callList, printEmpty, showResult, withTools } from "./open-tools.ts";

export interface IssueListFlags extends Flags {
  readonly status?: readonly string[];
  readonly type?: readonly string[];
  readonly priority?: readonly number[];
  readonly assignee?: readonly string[];
  readonly label?: readonly string[];
  readonly parent?: string;
  readonly text?: string;
  readonly sort?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `toolpacks issues list`: lists issues as `issue_list` does. */
export async function listIssues(flags: IssueListFlags): Promise<void> {
  const { status, type, priority, assignee, label, parent, text, sort, limit } = flags;
  const where = definedOnly({ status, issue_type: type, priority, assignee, label, parent, text });
  const call = { tool: "issue_list", args: definedOnly({ where, sort }) };
  const result = await withTools(flags, (tools) => callList<ListedIssue>(tools, call, limit));
  showResult(result, flags, ({ items, total, hint }) => {
    if (items.length === 0) return printEmpty(hint, "no issues match", flags);
    printIssues(items);
    if (items.length < total) printError(`${items.length} of ${total} issues; --limit ${total} shows all`);
  });
}

/** Prints issues as a table. */
export function printIssues(items: readonly ListedIssue[]): void {
  const rows = items.map((item) => [
    item.id,
    `P${item.priority}`,
    item.issue_type,
    item.status,
    item.assignee,
    item.created ?? item.updated ?? item.closed,
    item.blockers,
    item.blocks,
    item.labels?.join(", "),
    item.title,
  ]);
  printTable(columns, rows);
}

const columns: readonly Column[] = [
  { title: "id", style: () => "cyan" },
  { title: "prio", style: (cell) => (cell === "P0" || cell === "P1" ? "red" : undefined) },
  { title: "type", isOptional: true },
  { title: "status", style: statusStyle },
  { title: "assignee" },
  { title: "date" },
  { title: "blockers", isOptional: true, style: (cell) => (cell === "0" ? undefined : "red") },
  { title: "blocks", isOptional: true },
  { title: "labels", isOptional: true, style: () => "dim" },
  { title: "title", isText: true },
];

function statusStyle(status: string): "yellow" | "red" | "dim" | undefined {
  if (status === "in_progress") return "yellow";
  if (status === "blocked") return "red";
  return status === "closed" || status === "deferred" ? "dim" : undefined;
}
