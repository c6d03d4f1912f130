import { ToolError } from "@toolpacks/core";
import type { StoreOptions } from "@toolpacks/store";
import { ensureFolderWorkspace, findFolderWorkspace, nameInId } from "@toolpacks/workspaces";
import type { Setting, UserFolders } from "@toolpacks/settings";
import { folderRegistry } from "./folder-registry.ts";

/** The settings that decide the workspace of a store. */
export interface WorkspaceSettings {
  readonly workspace: Setting<string | undefined>;
  readonly roots: Pick<Setting<readonly string[]>, "value"> & { readonly refused?: readonly string[] };
  readonly readOnly: Setting<boolean>;
  readonly folders: UserFolders;
}

export interface WorkspaceOptions {
  /** Whether a new folder is added to the registry. Default: true, unless the server is read-only. */
  readonly registersFolder?: boolean;
}

/**
 * The options for the workspace of a server's store: the setting, else the first root's workspace, else `default`. When all roots of a client are
 * refused, calls that need the store fail. Otherwise they would write to the workspace that all clients without roots share.
 */
export function workspaceOptions(
  settings: WorkspaceSettings,
  { registersFolder = !settings.readOnly.value }: WorkspaceOptions = {},
): StoreOptions {
  const { workspace, roots } = settings;
  const [root] = roots.value;
  const names = { workspaceName: nameInId };
  if (workspace.value !== undefined) return { workspace: workspace.value, ...names };
  if (root === undefined && roots.refused?.[0] !== undefined) return { workspace: refuse(roots.refused[0]), ...names };
  if (root === undefined) return names;
  // Called at the store's first use, so that a start writes to no folder.
  const ofRoot = () =>
    (registersFolder ? ensureFolderWorkspace : findFolderWorkspace)(folderRegistry(settings), root).id;
  return { workspace: ofRoot, ...names };
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
