import path from "node:path";
import { homeFolder, type SettingsIo, type UserFolders } from "@toolpacks/settings";
import { findFolderWorkspace } from "@toolpacks/workspaces";
import { folderRegistry } from "../stores/folder-registry.ts";
import { realPath } from "../stores/store-file.ts";
import type { Settings } from "./settings.ts";

/** Where the roots of a command come from if nothing sets them. */
const origin = "the current project";

/**
 * The roots of a command that nothing sets: the project of the current folder, which is the checkout of its git repository, else the folder itself. None in
 * the home folder, and in folders that contain it. The workspace of the project is that of a server with the project as its root.
 */
export function projectRoots({ cwd, env }: SettingsIo, folders: UserFolders): Settings["roots"] {
  const { folder } = findFolderWorkspace(folderRegistry({ folders }), cwd);
  const home = realPath(homeFolder(env));
  const project = [folder, realPath(cwd)].find((one) => !isTooWide(one, home));
  if (project === undefined) return { value: [], source: "default", origin: "default" };
  return { value: [project], source: "default", origin };
}

/** The root of a command if it is the project of the current folder. */
export function projectOf({ roots }: Pick<Settings, "roots">): string | undefined {
  return roots.origin === origin ? roots.value[0] : undefined;
}

/** Whether a folder is no project: the home folder, or one that contains it, such as the root folder of the system. */
export function isTooWide(folder: string, home: string): boolean {
  const way = path.relative(folder, home);
  const isOutside = way.split(path.sep)[0] === ".." || path.isAbsolute(way);
  return path.dirname(folder) === folder || !isOutside;
}
