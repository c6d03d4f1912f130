import path from "node:path";
import { openRegistry, type Registry } from "@toolpacks/workspaces";
import type { Settings } from "../config/settings.ts";

/** The workspaces of this machine's folders, in the user's data folder. */
export function folderRegistry({ folders }: Pick<Settings, "folders">): Registry {
  return openRegistry(path.join(folders.data, "workspaces"));
}
