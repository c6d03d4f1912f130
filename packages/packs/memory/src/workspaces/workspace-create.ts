import { defaultWorkspace, defineTool, ToolError, type Tool } from "@toolpacks/core";
import { findLabelled, labelWorkspaces } from "@toolpacks/store";
import { z } from "zod";
import type { MemoryContext } from "../memory-context.ts";
import { workspaceIds, workspaceLabel } from "./open-workspace.ts";
import { workspace } from "./workspace.ts";
import { described, files, purpose, workspaceLine, workspaceName } from "./workspace-fields.ts";

export function workspaceCreate({ store }: MemoryContext): Tool {
  return defineTool({
    name: "workspace_create",
    description: "Create a workspace.",
    keywords: ["project", "new project", "add"],
    examples: [{ args: { name: "billing", purpose: "The billing service.", files: ["docs/plan.md"] } }],
    mutates: true,
    effects: { destructive: false, records: true },
    input: z.object({ name: workspaceName, purpose, files }),
    output: described,
    text: workspaceLine,
    handler: async (record) => {
      const { name } = record;
      const known = labelWorkspaces(store, await workspaceIds(store));
      const inside = store.in(findLabelled(known, name) ?? name);
      const id = inside.workspace;
      const before = await inside.get(workspace, id);
      // The name is also taken if it is the label of a workspace with another id.
      if (before !== undefined || id !== name || id === defaultWorkspace) {
        throw new ToolError(
          "conflict",
          `name: there is a workspace ${JSON.stringify(name)} already${before?.closed === true ? ", archived" : ""}`,
          before?.closed === true ? "workspace_update brings it back." : "Change it with workspace_update.",
        );
      }
      const { data } = await inside.put(workspace, record, { id, ifGeneration: 0 });
      return { ...data, name: await workspaceLabel(inside) };
    },
  });
}
