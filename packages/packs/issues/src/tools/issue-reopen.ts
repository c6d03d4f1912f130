import { defineTool, ToolError, type Store } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField } from "../fields.ts";
import { isClosed } from "../issue-record.ts";
import { requireIssue } from "../require-issue.ts";
import { renderWritten, writeEach, writtenIssues } from "../written-issues.ts";

export function issueReopen(context: IssuesContext) {
  const { kind } = context;
  const reopen = async (inside: Store, id: string) => {
    const { data } = await requireIssue(inside, kind, id);
    if (!isClosed(data)) throw new ToolError("conflict", `${id}: it is not closed, it is ${data.status}`);
    return inside.reopen(kind, id);
  };
  return defineTool({
    name: "issue_reopen",
    description: "Open closed issues again.",
    keywords: ["undo close", "regression"],
    examples: [{ args: { ids: ["bd-a1b2"] } }],
    mutates: true,
    effects: { destructive: false, records: true },
    input: z.object({ ids: idsField }),
    output: writtenIssues,
    text: renderWritten,
    handler: ({ ids }) => writeEach(context, { ids }, { write: reopen }),
  });
}
