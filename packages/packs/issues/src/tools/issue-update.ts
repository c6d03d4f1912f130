import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField } from "../fields.ts";
import { toItem, toWrittenItem } from "../issue-item.ts";
import type { Issue } from "../issue-record.ts";
import { briefWhereField } from "../where.ts";
import { changedIssues, renderWritten, writeEach } from "../written-issues.ts";

const input = z.object({
  ids: idsField.optional(),
  where: briefWhereField,
  set: z.record(z.string().max(200), z.unknown()).describe("null unsets"),
});

export function issueUpdate(context: IssuesContext) {
  return defineTool({
    name: "issue_update",
    description: "Change fields of issues, all or none.",
    keywords: ["edit", "set", "status", "priority", "assign", "defer", "pin"],
    examples: [
      { say: "make it urgent", args: { ids: ["bd-a1b2"], set: { priority: 0 } } },
      {
        say: "give ann all unassigned bugs",
        args: { where: { issue_type: "bug", assignee: "unassigned" }, set: { assignee: "ann" } },
      },
    ],
    mutates: true,
    effects: { idempotent: true, records: true },
    input,
    output: changedIssues,
    text: renderWritten,
    handler: ({ set, ...targets }) =>
      // The kind checks that these are fields of an issue, and their values.
      writeEach(context, targets, {
        write: (inside, id) => inside.put(context.kind, set as Partial<Issue>, { id, patch: true }),
        item: Object.hasOwn(set, "external_ref") ? toWrittenItem : toItem,
      }),
  });
}
