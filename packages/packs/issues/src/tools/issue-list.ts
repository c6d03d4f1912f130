import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { renderItem, toItem } from "../issue-item.ts";
import { listFields, listIssues, listOutput, renderIssues } from "../list-issues.ts";
import { listedWhere } from "../where.ts";

const input = z.object({ ...listFields, where: listedWhere });

/** `issue_list`: lists issues by their fields. */
export function issueList(context: IssuesContext) {
  return defineTool({
    name: "issue_list",
    description: "List issues; closed ones only by status.",
    keywords: ["find", "search", "query", "backlog", "unassigned", "oldest"],
    examples: [
      {
        say: "which open bugs of priority 0 or 1 has nobody, oldest first",
        args: { where: { type: "bug", priority: [0, 1], assignee: "none" }, sort: "oldest" },
      },
    ],
    mutates: false,
    input,
    output: listOutput,
    text: (page) => renderIssues(page, renderItem),
    handler: (request) => listIssues(context, request, { filter: {}, item: toItem }),
  });
}
