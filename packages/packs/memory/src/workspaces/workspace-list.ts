import { defineTool, detail, listSchema, pageSize, renderList, type Tool } from "@toolpacks/core";
import { labelWorkspaces } from "@toolpacks/store";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import { limit } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { described, workspaceLine } from "./workspace-fields.ts";
import { describedWorkspaces, unarchivedIds } from "./open-workspace.ts";

const input = z.object({ archived: z.boolean().optional().meta(detail("those instead")), limit });

/** `workspace_list`: lists the workspaces that the store may open, described or not. */
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
    handler: async ({ archived = false, limit: maxItems }) => {
      const records = await describedWorkspaces(store);
      const byId = new Map(records.map((record) => [record.workspace, record]));
      const ids = archived
        ? records.flatMap(({ closed, workspace }) => (closed ? [workspace] : []))
        : await unarchivedIds(store, records);
      const labels = labelWorkspaces(store, ids);
      const { size, compacted } = pageSize(ids.length, maxItems);
      const items = [...labels].slice(0, size).map(([id, label]) => {
        const data = byId.get(id)?.data;
        return { ...data, name: label, purpose: data?.purpose && cutText(data.purpose, 160) };
      });
      return { items, total: ids.length, ...(compacted && { compacted, hint: "Name a limit to see more." }) };
    },
  });
}
