import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { toItem } from "../issue-item.ts";
import { isClosed } from "../issue-record.ts";
import { listFields, listIssues, listOutput, readConditions, renderIssues } from "../list-issues.ts";

const input = z.object({
  ...listFields,
  where: z
    .record(z.string().max(200), z.unknown())
    .optional()
    .describe("status (or all), issue_type, priority, assignee, label, parent, on, text"),
});

/** `issue_list`: lists issues by their fields. */
export function issueList(context: IssuesContext) {
  return defineTool({
    name: "issue_list",
    description: "List issues; closed ones only by status.",
    keywords: ["find", "search", "query", "backlog"],
    examples: [{ say: "which bugs are open", args: { where: { issue_type: "bug" } } }],
    mutates: false,
    input,
    output: listOutput,
    text: renderIssues,
    handler: (request) => {
      const { status = "open" } = readConditions(request.where);
      return listIssues(context, request, {
        filter: {},
        includeClosed: status === "all" || isClosed({ status }),
        item: toItem,
      });
    },
  });
}
