import { definedOnly, defineTool, type Tool } from "@toolpacks/core";
import { z } from "zod";
import type { MemoryContext } from "../memory-context.ts";
import { workspace } from "./workspace.ts";
import { described, files, purpose, workspaceLine, workspaceName } from "./workspace-fields.ts";
import { findWorkspace, workspaceLabel } from "./open-workspace.ts";

export function workspaceUpdate({ store }: MemoryContext): Tool {
  return defineTool({
    name: "workspace_update",
    description: "Change it; brings back an archived one.",
    keywords: ["edit workspace", "project", "purpose", "key files", "restore", "unarchive"],
    examples: [{ args: { name: "default", purpose: "Everything that has no project." } }],
    mutates: true,
    effects: { destructive: false, idempotent: true, records: true },
    input: z.object({ name: workspaceName, purpose, files }),
    output: described,
    text: workspaceLine,
    handler: async ({ name, ...changed }) => {
      const inside = await findWorkspace(store, name);
      return inside.transaction(async (transaction) => {
        const id = inside.workspace;
        const before = await transaction.get(workspace, id);
        if (before?.closed === true) await transaction.reopen(workspace, id);
        const patch = definedOnly(changed);
        const { data } =
          before === undefined
            ? await transaction.put(workspace, { name: id, ...patch }, { id })
            : await transaction.put(workspace, patch, { id, patch: true });
        return { ...data, name: await workspaceLabel(transaction) };
      });
    },
  });
}
