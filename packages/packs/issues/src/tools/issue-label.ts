import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField, labelsField, noSuchIssue, onlyOnce } from "../fields.ts";
import { toItem } from "../issue-item.ts";
import { renderWritten, writtenIssues } from "../written-issues.ts";

const input = z.object({ ids: idsField, add: labelsField, remove: labelsField });

/** `issue_label`: adds and removes labels, of all issues or none. */
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
      store.transaction(async (inside) => {
        const items = [];
        for (const id of onlyOnce(ids)) {
          const issue = await inside.get(kind, id);
          if (issue === undefined) throw noSuchIssue(id);
          const kept = (issue.data.labels ?? []).filter((label) => !remove.includes(label));
          const labels = [...new Set([...kept, ...add])];
          const patch = { labels: labels.length === 0 ? null : labels };
          items.push(toItem(await inside.put(kind, patch, { id, patch: true })));
        }
        return { items };
      }),
  });
}
