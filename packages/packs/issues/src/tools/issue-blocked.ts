import { defineTool, listSchema } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { blockedItem, renderItem, toBlockedItem } from "../issue-item.ts";
import { listFields, listIssues, renderIssues } from "../list-issues.ts";
import { briefWhereField } from "../where.ts";

export function issueBlocked(context: IssuesContext) {
  return defineTool({
    name: "issue_blocked",
    description: "List blocked issues with what blocks each.",
    keywords: ["stuck", "waiting", "impediments"],
    examples: [{ args: {} }],
    mutates: false,
    input: z.object({ where: briefWhereField, ...listFields(context.compaction) }),
    output: listSchema(blockedItem),
    text: (page) =>
      renderIssues(page, ({ blocked_by: by, ...item }) => `${renderItem(item)} <- ${by.join(", ") || "its status"}`),
    handler: (request) =>
      listIssues(context, request, {
        filter: { "graph.state": "blocked" },
        sort: "priority",
        item: toBlockedItem,
      }),
  });
}
