import { defineTool, ToolError } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField, noSuchIssue, onlyOnce } from "../fields.ts";
import { toItem } from "../issue-item.ts";
import { isClosed } from "../issue-record.ts";
import { renderWritten, writtenIssues } from "../written-issues.ts";

/** `issue_reopen`: opens closed issues again. */
export function issueReopen({ store, kind }: IssuesContext) {
  return defineTool({
    name: "issue_reopen",
    description: "Open closed issues again.",
    keywords: ["undo close", "regression"],
    examples: [{ args: { ids: ["bd-a1b2"] } }],
    mutates: true,
    effects: { destructive: false },
    input: z.object({ ids: idsField }),
    output: writtenIssues,
    text: renderWritten,
    handler: ({ ids }) =>
      store.transaction(async (inside) => {
        const items = [];
        for (const id of onlyOnce(ids)) {
          const issue = await inside.get(kind, id);
          if (issue === undefined) throw noSuchIssue(id);
          if (!isClosed(issue.data))
            throw new ToolError("conflict", `${id}: it is not closed, it is ${issue.data.status}`);
          items.push(toItem(await inside.reopen(kind, id)));
        }
        return { items };
      }),
  });
}
