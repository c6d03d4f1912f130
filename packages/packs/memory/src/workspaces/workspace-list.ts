import { defineTool, detail, listSchema, pageSize, renderList, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import { limit } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { described, describeWorkspace, workspaceLine } from "./workspace-fields.ts";
import { describedWorkspaces, unarchivedNames } from "./workspace-names.ts";

const input = z.object({ archived: z.boolean().optional().meta(detail("those instead")), limit });

/** `workspace_list`: every workspace that there is, described or not. */
export function workspaceList({ store }: MemoryContext): Tool {
  return defineTool({
    name: "workspace_list",
    description: "List workspaces.",
    keywords: ["projects", "which workspaces"],
    examples: [{ args: {} }, { args: { archived: true, limit: 10 } }],
    mutates: false,
    input,
    output: listSchema(described),
    text: (page) => renderList(page, workspaceLine),
    handler: async ({ archived = false, limit: most }) => {
      const records = await describedWorkspaces(store);
      const byName = new Map(records.map((record) => [record.data.name, record]));
      const names = archived
        ? records.flatMap(({ closed, data }) => (closed ? [data.name] : []))
        : await unarchivedNames(store, records);
      const { size, compacted } = pageSize(names.length, most);
      const items = names.slice(0, size).map((name) => {
        const { purpose, ...rest } = describeWorkspace(byName.get(name)?.data ?? { name });
        return { ...rest, ...(purpose !== undefined && { purpose: cutText(purpose, 160) }) };
      });
      return { items, total: names.length, ...(compacted && { compacted, hint: "Name a limit to see more." }) };
    },
  });
}
