import { defineTool, detail } from "@toolpacks/core";
import { z } from "zod";
import { requireActor, type IssuesContext } from "../context.ts";
import { actorField, idField } from "../fields.ts";
import { requireIssue } from "../require-issue.ts";

const input = z.object({
  id: idField,
  text: z.string().min(1).max(100_000).meta(detail("what you found or decided")),
  actor: actorField,
});

export function issueComment(context: IssuesContext) {
  const { store, kind } = context;
  return defineTool({
    name: "issue_comment",
    description: "Comment on an issue.",
    keywords: ["note", "remark", "reply", "discuss"],
    examples: [{ args: { id: "bd-a1b2", text: "The cause is the cache.", actor: "claude-7f3a" } }],
    mutates: true,
    effects: { destructive: false },
    input,
    output: z.object({ id: z.string(), comments: z.int() }),
    text: ({ id, comments }) => `${id}: ${comments} comment${comments === 1 ? "" : "s"}`,
    handler: ({ id, text, actor }, call) => {
      const author = requireActor(actor, { context, call });
      return store.transaction(async (inside) => {
        const issue = await requireIssue(inside, kind, id);
        const { comments: old = [] } = issue.data;
        const last = Math.max(0, ...old.map((one) => (typeof one.id === "number" ? one.id : 0)));
        const comment = { id: last + 1, issue_id: id, author, text, created_at: new Date().toISOString() };
        await inside.put(kind, { comments: [...old, comment] }, { id, patch: true });
        return { id, comments: old.length + 1 };
      });
    },
  });
}
