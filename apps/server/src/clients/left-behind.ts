import { existsSync, readdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { userFolders } from "@toolpacks/settings";
import { findRepository, repositoryKeyFile } from "@toolpacks/workspaces";
import type { Io } from "@toolpacks/terminal";

/** Removes the user's folders of toolpacks that are empty, and names what is left of toolpacks on this machine and in the repository. */
export function describeLeftBehind({ cwd, env }: Io): readonly string[] {
  const { config, data, cache } = userFolders("toolpacks", env);
  for (const folder of [config, data, cache]) {
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
  }
  const left = [
    { file: config, what: "settings" },
    { file: data, what: "store" },
    { file: cache, what: "caches" },
    { file: repositoryKeyFile(findRepository(cwd)?.gitDirectory ?? ""), what: "workspace of this repository" },
  ].filter(({ file }) => path.isAbsolute(file) && existsSync(file));
  if (left.length === 0) return [];
  const names = left.map(({ file, what }) => `${file} (${what})`).join(", ");
  return [`left: ${names}. Delete ${left.length === 1 ? "it" : "them"} if you use toolpacks no more`];
}
