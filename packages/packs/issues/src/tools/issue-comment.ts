import { defineTool, detail } from "@toolpacks/core";
import { z } from "zod";
import { requireActor, type IssuesContext } from "../context.ts";
import { actorField, idsField, rejectDuplicates } from "../fields.ts";
import { requireIssue } from "../require-issue.ts";

const input = z.object({
  ids: idsField,
  text: z.string().min(1).max(100_000).meta(detail("what you found or decided")),
  actor: actorField,
});

export function issueComment(context: IssuesContext) {
  const { store, kind } = context;
  return defineTool({
    name: "issue_comment",
    description: "Comment on issues.",
    keywords: ["note", "remark", "reply", "discuss"],
    examples: [{ args: { ids: ["bd-a1b2"], text: "The cause is the cache.", actor: "claude-7f3a" } }],
    mutates: true,
    effects: { destructive: false, records: true },
    input,
    output: z.object({ items: z.array(z.object({ id: z.string(), comments: z.int() })) }),
    text: ({ items }) =>
      items.map(({ id, comments }) => `${id}: ${comments} comment${comments === 1 ? "" : "s"}`).join("\n"),
    handler: ({ ids, text, actor }, call) => {
      const all = rejectDuplicates(ids);
      const author = requireActor(actor, { context, call });
      return store.transaction(async (inside) => {
        const items = [];
        for (const id of all) {
          const issue = await requireIssue(inside, kind, id);
          const { comments: old = [] } = issue.data;
          const last = Math.max(0, ...old.map((other) => (typeof other.id === "number" ? other.id : 0)));
          const comment = { id: last + 1, issue_id: id, author, text, created_at: new Date().toISOString() };
          await inside.put(kind, { comments: [...old, comment] }, { id, patch: true });
          items.push({ id, comments: old.length + 1 });
        }
        return { items };
      });
    },
  });
}
