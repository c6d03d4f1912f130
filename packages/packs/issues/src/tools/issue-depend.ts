import { defineTool, detail, ToolError, unlisted } from "@toolpacks/core";
import { maxIdLength } from "@toolpacks/store";
import { z } from "zod";
import { findActor, type IssuesContext } from "../context.ts";
import { idField } from "../fields.ts";
import { toItem } from "../issue-item.ts";
import { requireIssue } from "../require-issue.ts";
import { renderWritten, writtenIssues } from "../written-issues.ts";

const input = z.object({
  id: idField,
  on: z.string().min(1).max(maxIdLength).meta(detail("the issue that it depends on")),
  type: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta(
      detail(
        "blocks (the default), parent-child, waits-for (its children), conditional-blocks, related, discovered-from",
      ),
    ),
  any: z.boolean().optional().meta(unlisted("with waits-for: wait until one child is closed, not until all are")),
  remove: z.boolean().optional().meta(detail("remove it; without type, of every type")),
});

export function issueDepend(context: IssuesContext) {
  const { store, kind } = context;
  return defineTool({
    name: "issue_depend",
    description: "Make an issue depend on another, or no longer.",
    keywords: ["dependency", "block", "link", "parent", "relate", "unblock"],
    examples: [{ say: "bd-2 waits for bd-1", args: { id: "bd-2", on: "bd-1" } }],
    mutates: true,
    effects: { destructive: false, records: true },
    input,
    output: writtenIssues,
    text: renderWritten,
    handler: ({ id, on, type, any = false, remove = false }, call) => {
      if (any && (type !== "waits-for" || remove))
        throw new ToolError("invalid_input", "any: only of a new dependency of the type waits-for");
      const by = findActor(undefined, { context, call });
      return store.transaction(async (inside) => {
        const issue = await requireIssue(inside, kind, id);
        const { dependencies: old = [] } = issue.data;
        const isMeant = (one: (typeof old)[number]) =>
          one.depends_on_id === on && one.type === (type ?? (remove ? one.type : "blocks"));
        const there = old.some(isMeant);
        if (remove && !there) throw new ToolError("not_found", `${id}: it does not depend on ${on} that way`);
        if (!remove && there) return { items: [toItem(issue)] };
        const added = {
          depends_on_id: on,
          type: type ?? "blocks",
          ...(any && { metadata: '{"gate":"any-children"}' }),
          created_by: by,
        };
        const dependencies = remove ? old.filter((one) => !isMeant(one)) : [...old, added];
        return { items: [toItem(await inside.put(kind, { dependencies }, { id, patch: true }))] };
      });
    },
  });
}
