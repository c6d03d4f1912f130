import { homedir } from "node:os";
import path from "node:path";
import envPaths from "env-paths";

/** The user's settings folder, such as `~/.config/toolpacks`. A relative `$XDG_CONFIG_HOME` must not lead into the current folder. */
export function settingsFolder(): string {
  return userFolder("config");
}

/** The user's data folder, such as `~/.local/share/toolpacks`. A relative `$XDG_DATA_HOME` must not lead into the current folder. */
export function dataFolder(): string {
  return userFolder("data");
}

/** The user's folder for what can be made again, such as `~/.cache/toolpacks`. */
export function cacheFolder(): string {
  return userFolder("cache");
}

/** The user's folders of toolpacks: settings, data and caches. */
export function userFolders(): readonly string[] {
  return [userFolder("config"), userFolder("data"), userFolder("cache")];
}

function userFolder(kind: "config" | "data" | "cache"): string {
  return path.resolve(homedir(), envPaths("toolpacks", { suffix: "" })[kind]);
}
