import { isDeepStrictEqual } from "node:util";
import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField, labelsField } from "../fields.ts";
import { requireIssue } from "../require-issue.ts";
import { briefWhereField } from "../where.ts";
import { changedIssues, renderWritten, writeEach } from "../written-issues.ts";

const input = z.object({ ids: idsField.optional(), where: briefWhereField, add: labelsField, remove: labelsField });

export function issueLabel(context: IssuesContext) {
  const { kind } = context;
  return defineTool({
    name: "issue_label",
    description: "Add and remove labels.",
    keywords: ["tag", "untag", "categorize"],
    examples: [
      { args: { ids: ["bd-a1b2"], add: ["frontend"] } },
      { say: "label every open epic", args: { where: { issue_type: "epic", status: "open" }, add: ["planned"] } },
    ],
    mutates: true,
    effects: { destructive: false, idempotent: true, records: true },
    input,
    output: changedIssues,
    text: renderWritten,
    handler: ({ add = [], remove = [], ...targets }) =>
      writeEach(context, targets, {
        write: async (inside, id) => {
          const issue = await requireIssue(inside, kind, id);
          const { labels: before = [] } = issue.data;
          const labels = [...new Set([...before.filter((label) => !remove.includes(label)), ...add])];
          if (isDeepStrictEqual(labels, before)) return issue;
          return inside.put(kind, { labels: labels.length === 0 ? null : labels }, { id, patch: true });
        },
      }),
  });
}
