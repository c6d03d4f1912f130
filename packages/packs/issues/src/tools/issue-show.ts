import { defineTool, quoteName, visibleJson, type Stored } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField, rejectDuplicates } from "../fields.ts";
import { explain } from "../graph/explain.ts";
import { initialReadiness } from "../graph/readiness.ts";
import { renderItem, issueItem, itemFields, toItem } from "../issue-item.ts";
import { isClosed, withoutFraction, type Issue } from "../issue-record.ts";
import { requireIssue } from "../require-issue.ts";

/** Maximum number of dependents to show. The total counts all of them. */
const maxDependents = 20;

const shownIssue = z.looseObject({
  id: z.string(),
  ready: z.boolean(),
  why: z.array(z.string()).describe("why it is ready, or is not"),
  dependents: z.object({ items: z.array(issueItem), total: z.int(), hint: z.string().optional() }).optional(),
});

const output = z.object({ issues: z.array(shownIssue) });

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
        rejectDuplicates(ids).map(async (id) => {
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
  const { ready, reasons } = explain({ ...issue, id }, graph ?? initialReadiness, now);
  return {
    id,
    ...issue,
    ready,
    why: [...reasons],
    ...(dependents !== undefined && dependents.total > 0 && { dependents }),
  };
}

/** Renders one line per field. Long texts and lists have their own lines. A field that repeats another one is left out. */
function render({ id, ready, why, dependents, ...fields }: z.output<typeof shownIssue>): string {
  const { status, created_at, updated_at, closed_at } = fields;
  const [created, updated, closed] = [created_at, updated_at, closed_at].map((at) => withoutFraction(textOrEmpty(at)));
  const isRepeated = updated === created || updated === closed;
  const lines = Object.entries(fields)
    .filter(([name]) => !(name === "updated_at" && isRepeated))
    .map(([name, value]) => `${quoteName(name)}: ${renderValue(name, value)}`);
  return [
    `id: ${quoteName(id)}`,
    ...lines,
    ...(isClosed({ status: String(status) }) ? [] : [`${ready ? "ready" : "not ready"}: ${why.join("; ")}`]),
    ...(dependents === undefined ? [] : [`dependents: ${dependents.total}`]),
    ...(dependents?.items ?? []).map((item) => `  ${renderItem(item)}`),
    ...(dependents?.hint === undefined ? [] : [`  ${dependents.hint}`]),
  ].join("\n");
}

/** Text fields that keep their line breaks. */
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
          `\n  ${quoteName(textOrEmpty(one["author"]))} ${quoteName(withoutFraction(textOrEmpty(one["created_at"])))}: ${textOrEmpty(one["text"])}`,
      )
      .join("");
  }
  if (typeof value !== "string") return visibleJson(value);
  if (!longTexts.has(name)) return quoteName(name.endsWith("_at") ? withoutFraction(value) : value);
  return value.includes("\n") ? `\n${value}` : value;
}

function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
