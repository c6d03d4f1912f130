import { homedir } from "node:os";
import path from "node:path";
import envPaths from "env-paths";

/** The user's settings folder, such as `~/.config/toolpacks`. A relative `$XDG_CONFIG_HOME` must not lead into the current folder. */
export function settingsFolder(): string {
  return path.resolve(homedir(), envPaths("toolpacks", { suffix: "" }).config);
}
