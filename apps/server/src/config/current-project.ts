import { homedir } from "node:os";
import path from "node:path";
import { realPath } from "@toolpacks/files";
import type { UserFolders } from "@toolpacks/settings";
import { findFolderWorkspace } from "@toolpacks/workspaces";
import { folderRegistry } from "../stores/folder-registry.ts";
import { currentProject, type Settings } from "./settings.ts";

/**
 * The roots of a command that nothing sets: the project of the current folder, which is the checkout of its git repository, else the folder itself. None in
 * the home folder, and in folders that contain it. The workspace of the project is that of a server with the project as its root.
 */
export function projectRoots(directory: string, folders: UserFolders): Settings["roots"] {
  const { folder } = findFolderWorkspace(folderRegistry({ folders }), directory);
  const project = [folder, realPath(directory)].find((one) => !isTooWide(one));
  if (project === undefined) return { value: [], source: "default", origin: "default" };
  return { value: [project], source: "default", origin: currentProject };
}

/** Whether a folder is no project: the home folder, or one that contains it, such as the root folder of the system. */
export function isTooWide(folder: string): boolean {
  const way = path.relative(folder, realPath(homedir()));
  return path.dirname(folder) === folder || !(way.split(path.sep)[0] === ".." || path.isAbsolute(way));
}
