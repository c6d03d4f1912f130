import { defineTool, quoteName, visibleJson, type Stored } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField, onlyOnce } from "../fields.ts";
import { explain } from "../graph/explain.ts";
import { underived } from "../graph/underived.ts";
import { renderItem, issueItem, itemFields, toItem } from "../issue-item.ts";
import type { Issue } from "../issue-record.ts";
import { requireIssue } from "../require-issue.ts";

/** Of those that depend on an issue, so many are shown; the total tells of the rest. */
const maxDependents = 20;

const shownIssue = z.looseObject({
  id: z.string(),
  ready: z.boolean(),
  why: z.array(z.string()).describe("why it is ready, or is not"),
  dependents: z.object({ items: z.array(issueItem), total: z.int(), hint: z.string().optional() }).optional(),
});

const output = z.object({ issues: z.array(shownIssue) });

/** `issue_show`: everything of some issues. */
export function issueShow({ store, kind }: IssuesContext) {
  return defineTool({
    name: "issue_show",
    description: "Show issues in full.",
    keywords: ["get", "read", "details", "view", "why blocked", "explain"],
    examples: [{ args: { ids: ["bd-a1b2"] } }],
    mutates: false,
    input: z.object({ ids: idsField }),
    output,
    text: ({ issues }) => issues.map(render).join("\n\n"),
    handler: async ({ ids }) => ({
      issues: await Promise.all(
        onlyOnce(ids).map(async (id) => {
          const stored = await requireIssue(store, kind, id);
          const dependents = await store.query(kind, {
            filter: { "graph.on": { contains: id } },
            includeClosed: true,
            fields: itemFields,
            limit: maxDependents,
          });
          const { total } = dependents;
          const hint = `All of them: issue_list {"where": {"on": ${JSON.stringify(id)}, "status": "all"}}`;
          return show(stored, { items: dependents.items.map(toItem), total, ...(total > maxDependents && { hint }) });
        }),
      ),
    }),
  });
}

function show({ id, data }: Stored<Issue>, dependents: z.input<typeof shownIssue>["dependents"]) {
  const { graph, ...issue } = data;
  const now = new Date().toISOString();
  const { ready, reasons } = explain({ ...issue, id }, graph ?? underived, now);
  return {
    id,
    ...issue,
    ready,
    why: [...reasons],
    ...(dependents !== undefined && dependents.total > 0 && { dependents }),
  };
}

/** A line per field, long texts and lists on lines of their own. */
function render({ id, ready, why, dependents, ...fields }: z.output<typeof shownIssue>): string {
  const lines = Object.entries(fields).map(([name, value]) => `${quoteName(name)}: ${renderValue(name, value)}`);
  return [
    `id: ${quoteName(id)}`,
    ...lines,
    `${ready ? "ready" : "not ready"}: ${why.join("; ")}`,
    ...(dependents === undefined ? [] : [`dependents: ${dependents.total}`]),
    ...(dependents?.items ?? []).map((item) => `  ${renderItem(item)}`),
    ...(dependents?.hint === undefined ? [] : [`  ${dependents.hint}`]),
  ].join("\n");
}

/** Fields that are shown as they are, on lines of their own. */
const longTexts: ReadonlySet<string> = new Set([
  "description",
  "design",
  "acceptance_criteria",
  "notes",
  "close_reason",
]);

function renderValue(name: string, value: unknown): string {
  if (name === "dependencies" && Array.isArray(value)) {
    return value
      .map(
        (one: Record<string, unknown>) =>
          `${quoteName(String(one["type"]))} ${quoteName(String(one["depends_on_id"]))}`,
      )
      .join(", ");
  }
  if (name === "comments" && Array.isArray(value)) {
    return value
      .map(
        (one: Record<string, unknown>) =>
          `\n  ${quoteName(told(one["author"]))} ${quoteName(told(one["created_at"]))}: ${told(one["text"])}`,
      )
      .join("");
  }
  if (typeof value !== "string") return visibleJson(value);
  if (!longTexts.has(name)) return quoteName(value);
  return value.includes("\n") ? `\n${value}` : value;
}

function told(value: unknown): string {
  return typeof value === "string" ? value : "";
}
