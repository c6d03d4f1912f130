import type { StoreOptions } from "@toolpacks/core/store";
import type { Settings } from "../config/settings.ts";
import { ensureFolderWorkspace, findFolderWorkspace, nameInId, type FolderWorkspace } from "./folder-workspace.ts";
import { openRegistry } from "./registry.ts";

export interface WorkspaceOptions {
  /** Whether a folder that is new is kept in the registry. Default: unless the server is read-only. */
  readonly keep?: boolean;
  /** Called at the store's first use where the workspace is the first root's. */
  readonly onFolder?: (found: FolderWorkspace) => void;
}

/** Which workspace a server's store looks at: the one that the settings name, else the first root's, else `default`. */
export function workspaceOptions(
  { workspace, roots, readOnly }: Pick<Settings, "workspace" | "roots" | "readOnly">,
  { keep = !readOnly.value, onFolder }: WorkspaceOptions = {},
): StoreOptions {
  const [root] = roots.value;
  if (workspace.value !== undefined) return { workspace: workspace.value, workspaceName };
  if (root === undefined) return { workspaceName };
  return {
    // Called at the store's first use: a start touches no folder.
    workspace() {
      const found = (keep ? ensureFolderWorkspace : findFolderWorkspace)(openRegistry(), root);
      onFolder?.(found);
      return found.id;
    },
    workspaceName,
  };
}

/** The name that people know a workspace by: the one it was given, else the one in its id. */
export function workspaceName(id: string): string {
  return openRegistry().findName(id) ?? nameInId(id);
}
