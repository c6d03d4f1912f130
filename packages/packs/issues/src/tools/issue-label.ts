import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField, labelsField } from "../fields.ts";
import { requireIssue } from "../require-issue.ts";
import { renderWritten, writeEach, writtenIssues } from "../written-issues.ts";

const input = z.object({ ids: idsField, add: labelsField, remove: labelsField });

/** `issue_label`: adds and removes labels of issues, all or none. */
export function issueLabel({ store, kind }: IssuesContext) {
  return defineTool({
    name: "issue_label",
    description: "Add and remove labels.",
    keywords: ["tag", "untag", "categorize"],
    examples: [{ args: { ids: ["bd-a1b2"], add: ["frontend"] } }],
    mutates: true,
    effects: { destructive: false, idempotent: true },
    input,
    output: writtenIssues,
    text: renderWritten,
    handler: ({ ids, add = [], remove = [] }) =>
      writeEach(store, ids, async (inside, id) => {
        const { data } = await requireIssue(inside, kind, id);
        const kept = (data.labels ?? []).filter((label) => !remove.includes(label));
        const labels = [...new Set([...kept, ...add])];
        return inside.put(kind, { labels: labels.length === 0 ? null : labels }, { id, patch: true });
      }),
  });
}
