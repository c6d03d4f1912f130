import { defineTool, listSchema } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { itemFields, listedItem, renderItem, toItem } from "../issue-item.ts";
import { listFields, listIssues, renderIssues } from "../list-issues.ts";
import { whereField } from "../where.ts";

/** Maximum length of the title of a parent that is shown above its children. */
const maxParentTitle = 120;

const output = listSchema(listedItem).extend({
  parent: z.string().optional().describe("the parent's line, if where names one parent"),
});

export function issueList(context: IssuesContext) {
  return defineTool({
    name: "issue_list",
    description: "List issues; closed ones only by status.",
    keywords: ["find", "search", "query", "backlog", "unassigned", "oldest"],
    examples: [
      {
        say: "open bugs of priority 0 or 1 without an assignee, oldest first",
        args: { where: { issue_type: "bug", priority: [0, 1], assignee: "unassigned" }, sort: "oldest" },
      },
    ],
    mutates: false,
    input: z.object({ where: whereField, ...listFields(context.compaction) }),
    output,
    text: ({ parent, ...page }) =>
      [...(parent === undefined ? [] : [`parent: ${parent}`]), renderIssues(page, renderItem)].join("\n"),
    handler: async (request) => {
      const parent = request.cursor === undefined ? await renderParent(context, request.where?.parent) : undefined;
      // Last: an answer without records says how many the last query matches elsewhere.
      const page = await listIssues(context, request, { filter: {}, item: toItem });
      return { ...page, ...(page.items.length > 0 && parent !== undefined && { parent }) };
    },
  });
}

async function renderParent({ store, kind }: IssuesContext, id: string | readonly string[] | undefined) {
  if (typeof id !== "string") return undefined;
  const query = { filter: { id }, includeClosed: true, fields: itemFields, skipDamaged: true, limit: 1 };
  const [stored] = (await store.query(kind, query)).items;
  return stored === undefined || stored.data.title.length > maxParentTitle ? undefined : renderItem(toItem(stored));
}
