import { defineTool, detail, type Tool } from "@toolpacks/core";
import { z } from "zod";
import type { MemoryContext } from "../memory-context.ts";
import { workspace } from "./workspace.ts";
import { described, workspaceLine, workspaceName } from "./workspace-fields.ts";
import { findWorkspace, workspaceLabel } from "./open-workspace.ts";

export function workspaceArchive({ store }: MemoryContext): Tool {
  return defineTool({
    name: "workspace_archive",
    description: "Archive it; nothing in it is lost.",
    keywords: ["close project", "finish", "delete workspace", "hide"],
    examples: [{ args: { name: "billing", note: "shipped" } }],
    mutates: true,
    effects: { destructive: false, idempotent: true, records: true },
    input: z.object({ name: workspaceName, note: z.string().max(10_000).optional().meta(detail("why")) }),
    output: described,
    text: workspaceLine,
    handler: async ({ name, note }) => {
      const inside = await findWorkspace(store, name);
      return inside.transaction(async (transaction) => {
        const id = inside.workspace;
        if ((await transaction.get(workspace, id)) === undefined)
          await transaction.put(workspace, { name: id }, { id });
        const { data } = await transaction.close(workspace, id, note);
        return { ...data, name: await workspaceLabel(transaction) };
      });
    },
  });
}
