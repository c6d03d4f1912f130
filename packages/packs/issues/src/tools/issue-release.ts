import { defineTool, ToolError } from "@toolpacks/core";
import { z } from "zod";
import { requireActor, type IssuesContext } from "../context.ts";
import { actorField, idField } from "../fields.ts";
import { toItem } from "../issue-item.ts";
import { holder } from "../life-cycle.ts";
import { requireIssue } from "../require-issue.ts";
import { renderWritten, writtenIssues } from "../written-issues.ts";

export function issueRelease(context: IssuesContext) {
  const { store, kind } = context;
  return defineTool({
    name: "issue_release",
    description: "Give back a claimed issue.",
    keywords: ["unclaim", "unassign", "give up", "unlock"],
    examples: [{ args: { id: "bd-a1b2", actor: "claude-7f3a" } }],
    mutates: true,
    effects: { destructive: false, records: true },
    input: z.object({ id: idField, actor: actorField }),
    output: writtenIssues,
    text: renderWritten,
    handler: ({ id, actor }, call) => {
      const who = requireActor(actor, { context, call });
      return store.transaction(async (inside) => {
        const issue = await requireIssue(inside, kind, id);
        const { status, assignee } = issue.data;
        const held = holder(issue.data, new Date().toISOString());
        if (status !== "in_progress") throw new ToolError("conflict", `${id}: it is not claimed, it is ${status}`);
        if (held !== undefined && held !== who)
          throw new ToolError("conflict", `${id}: claimed by ${assignee}, not ${who}`);
        const patch = { status: "open", assignee: null, lease_until: null };
        return { items: [toItem(await inside.put(kind, patch, { id, patch: true }))] };
      });
    },
  });
}
