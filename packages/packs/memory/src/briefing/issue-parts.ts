import { principalName, type Filter, type Kind, type Store, type ToolContext } from "@toolpacks/core";
import { z } from "zod";
import { briefText, listPart, shownTool, type BriefingPart } from "./briefing-part.ts";

const maxIssues = 12;
const maxTitleLength = 140;

const shownIssue = z.object({
  title: z.string(),
  priority: z.number(),
  issue_type: z.string(),
  assignee: z.string().optional(),
});

/** The indexed fields of the kind `issue` that the filters use. Another pack's kind of this name may lack them. */
const neededIndexes = ["graph.state", "graph.from", "assignee", "priority", "issue_type"];

/** Issues in progress, and issues that are ready. None if the issues pack is not mounted, or the caller may not read it. */
export async function issueParts(store: Store, context: ToolContext): Promise<readonly BriefingPart[]> {
  const kind = context.access?.kinds().find(({ name }) => name === "issue");
  const indexed = kind?.indexes.flat() ?? [];
  if (kind === undefined || !neededIndexes.every((field) => indexed.includes(field))) return [];
  const isNow: Filter = { not: { "graph.from": { gt: new Date().toISOString() } } };
  const working: Filter = { and: [{ "graph.state": "working" }, isNow] };
  // The work of an epic is in its children.
  const isWork: Filter = { not: { issue_type: "epic" } };
  const ready: Filter = { and: [{ "graph.state": "ready" }, isNow, isWork, notOfOthers(context.principal)] };
  const [inProgress, next] = await Promise.all([readIssues(store, kind, working), readIssues(store, kind, ready)]);
  return [
    ...listPart({
      title: "Issues in progress",
      ...inProgress,
      noun: "issues in progress",
      tool: `${shownTool(context, "issue_list")} {"where": {"status": "in_progress"}}`,
    }),
    ...listPart({ title: "Ready issues", ...next, noun: "ready issues", tool: shownTool(context, "issue_ready") }),
  ];
}

/** Issues that are not assigned to another caller. The local user has no name of its own. */
function notOfOthers(principal: string): Filter {
  const own = principal === "" ? [""] : ["", principalName(principal)];
  return { not: { assignee: { exists: true }, not: { assignee: { in: own } } } };
}

async function readIssues(store: Store, kind: Kind, filter: Filter) {
  const { items, total } = await store.query(kind, {
    filter,
    sort: ["priority"],
    limit: maxIssues,
    fields: Object.keys(shownIssue.shape),
    skipDamaged: true,
  });
  return { total, lines: items.flatMap(({ id, data }) => issueLine(id, data)) };
}

function issueLine(id: string, data: unknown): readonly string[] {
  const read = shownIssue.safeParse(data);
  if (!read.success) return [];
  const { title, priority, issue_type: type, assignee } = read.data;
  const details = [`P${priority} ${briefText(type, 40)}`, ...(assignee ? [`assignee ${briefText(assignee, 60)}`] : [])];
  return [`${briefText(id, 60)}: ${briefText(title, maxTitleLength)} (${details.join(", ")})`];
}
