import { isObject } from "@toolpacks/core";
import type { ListedIssue } from "@toolpacks/issues/tracker";
import type { Flags } from "../config/settings.ts";
import { printHeading } from "../print-table.ts";
import { print } from "../print.ts";
import { printIssues } from "./issues-list.ts";
import { callTool, showResult } from "./open-tools.ts";

/** An issue as `issue_show` returns it. It keeps unknown fields of imported issues. */
interface ShownIssue {
  readonly id: string;
  readonly title: string;
  readonly ready: boolean;
  /** Why it is ready or is not. */
  readonly why: readonly string[];
  readonly dependents?: { readonly items: readonly ListedIssue[]; readonly total: number };
  readonly [field: string]: unknown;
}

/** `toolpacks issues show`: shows whole issues. */
export async function showIssues(ids: readonly string[], flags: Flags & { json?: boolean }): Promise<void> {
  const result = await callTool<{ readonly issues: readonly ShownIssue[] }>(flags, "issue_show", { ids });
  showResult(result, flags, ({ issues }) => {
    for (const [at, issue] of issues.entries()) {
      if (at > 0) print("");
      showIssue(issue);
    }
  });
}

function showIssue({ id, title, ready, why, dependents, ...fields }: ShownIssue): void {
  printHeading(`${id}  ${title}`);
  const rendered = Object.entries(fields).map(([name, value]) => renderField(name, value));
  print(...rendered.filter((lines) => lines.length === 1).flat());
  if (fields["status"] !== "closed") print(`${ready ? "ready" : "not ready"}: ${why.join("; ")}`);
  print(...rendered.filter((lines) => lines.length > 1).flat());
  if (dependents === undefined) return;
  print("", `dependents: ${dependents.total}`);
  printIssues(dependents.items);
}

/** Renders a field as one line, or as indented lines below its name. Text of an issue cannot look like another field. */
function renderField(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.some(isObject)) return [`${name}:`, ...value.flatMap(renderItem).map(indent)];
  const text = renderValue(value);
  return text.includes("\n") ? [`${name}:`, ...text.split("\n").map(indent)] : [`${name}: ${text}`];
}

/** Renders a dependency, a comment, or another object in a list. */
function renderItem(item: unknown): readonly string[] {
  if (!isObject(item)) return [renderValue(item)];
  const { depends_on_id, type, author, created_at, text } = item;
  if (typeof depends_on_id === "string") return [`${renderValue(type)} ${depends_on_id}`];
  if (typeof text !== "string") return [JSON.stringify(item)];
  const by = [author, created_at].filter((one) => one !== undefined).map(renderValue);
  return [`${by.join(", ")}:`, ...text.split("\n").map(indent)];
}

function renderValue(value: unknown): string {
  if (typeof value === "string") return value;
  const isPlainList = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isPlainList ? value.join(", ") : JSON.stringify(value);
}

function indent(line: string): string {
  return `  ${line}`;
}
