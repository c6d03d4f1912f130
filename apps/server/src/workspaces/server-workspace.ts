import { ToolError } from "@toolpacks/core";
import type { StoreOptions } from "@toolpacks/store";
import type { Settings } from "../config/settings.ts";
import { ensureFolderWorkspace, findFolderWorkspace, nameInId, type FolderWorkspace } from "./folder-workspace.ts";
import { openRegistry } from "./registry.ts";

export interface WorkspaceOptions {
  /** Whether a new folder is added to the registry. Default: true, unless the server is read-only. */
  readonly registersFolder?: boolean;
  /** Called at the store's first use when the workspace is the first root's. */
  readonly onFolder?: (found: FolderWorkspace) => void;
}

/**
 * The options for the workspace of a server's store: the setting, else the first root's workspace, else `default`. When all roots of a client are
 * refused, calls that need the store fail. Otherwise they would write to the workspace that all clients without roots share.
 */
export function workspaceOptions(
  { workspace, roots, readOnly }: Pick<Settings, "workspace" | "roots" | "readOnly">,
  { registersFolder = !readOnly.value, onFolder }: WorkspaceOptions = {},
): StoreOptions {
  const [root] = roots.value;
  if (workspace.value !== undefined) return { workspace: workspace.value, workspaceName };
  if (root === undefined && roots.refused?.[0] !== undefined)
    return { workspace: refuse(roots.refused[0]), workspaceName };
  if (root === undefined) return { workspaceName };
  return {
    // Called at the store's first use, so that a start writes to no folder.
    workspace() {
      const found = (registersFolder ? ensureFolderWorkspace : findFolderWorkspace)(openRegistry(), root);
      onFolder?.(found);
      return found.id;
    },
    workspaceName,
  };
}

function refuse(problem: string): () => never {
  return () => {
    throw new ToolError(
      "unavailable",
      `the workspace is not known: the client's root ${problem}`,
      "Open an existing folder in the client, or start the server with --root or --workspace.",
    );
  };
}

/** The display name of a workspace: the given name, else the name in its id. */
export function workspaceName(id: string): string {
  return openRegistry().findName(id) ?? nameInId(id);
}
