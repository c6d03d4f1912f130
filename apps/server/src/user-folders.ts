import { userFolders as foldersOf } from "@toolpacks/settings";

/** The user's settings folder, such as `~/.config/toolpacks`. */
export function settingsFolder(): string {
  return foldersOf("toolpacks", process.env).config;
}

/** The user's data folder, such as `~/.local/share/toolpacks`. */
export function dataFolder(): string {
  return foldersOf("toolpacks", process.env).data;
}

/** The user's folder for what can be made again, such as `~/.cache/toolpacks`. */
export function cacheFolder(): string {
  return foldersOf("toolpacks", process.env).cache;
}
