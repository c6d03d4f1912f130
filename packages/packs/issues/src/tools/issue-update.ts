import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField } from "../fields.ts";
import type { Issue } from "../issue-record.ts";
import { renderWritten, writeEach, writtenIssues } from "../written-issues.ts";

const input = z.object({
  ids: idsField,
  set: z.record(z.string().max(200), z.unknown()).describe("fields, status too; null unsets"),
});

/** `issue_update`: changes fields of issues, all or none. */
export function issueUpdate({ store, kind }: IssuesContext) {
  return defineTool({
    name: "issue_update",
    description: "Change fields of issues, all or none.",
    keywords: ["edit", "set", "status", "priority", "assign", "defer", "pin"],
    examples: [{ say: "make it urgent", args: { ids: ["bd-a1b2"], set: { priority: 0 } } }],
    mutates: true,
    effects: { idempotent: true },
    input,
    output: writtenIssues,
    text: renderWritten,
    handler: ({ ids, set }) =>
      // The kind checks that these are fields of an issue, and their values.
      writeEach(store, ids, (inside, id) => inside.put(kind, set as Partial<Issue>, { id, patch: true })),
  });
}
