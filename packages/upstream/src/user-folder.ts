import { homedir } from "node:os";
import path from "node:path";
import envPaths from "env-paths";

/**
 * The user's data or cache folder of toolpacks. A relative `$XDG_DATA_HOME` or `$XDG_CACHE_HOME` must not lead into the current folder, where a
 * repository could bring accepted offers.
 */
export function userFolder(kind: "data" | "cache"): string {
  return path.resolve(homedir(), envPaths("toolpacks", { suffix: "" })[kind]);
}
