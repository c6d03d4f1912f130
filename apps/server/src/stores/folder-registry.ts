import path from "node:path";
import type { UserFolders } from "@toolpacks/settings";
import { openRegistry, type Registry } from "@toolpacks/workspaces";

/** The workspaces of this machine's folders, in the user's data folder. */
export function folderRegistry({ folders }: { readonly folders: UserFolders }): Registry {
  return openRegistry(path.join(folders.data, "workspaces"));
}
