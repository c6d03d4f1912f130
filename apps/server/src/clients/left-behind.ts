import { existsSync, readdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { findRepository, repositoryKeyFile } from "@toolpacks/workspaces";
import { cacheFolder, dataFolder, settingsFolder } from "../user-folders.ts";

/** Removes the user's folders of toolpacks that are empty, and names what is left of toolpacks on this machine and in the repository of a folder. */
export function describeLeftBehind(folder: string): readonly string[] {
  const places = [
    { file: settingsFolder(), what: "settings" },
    { file: dataFolder(), what: "store" },
    { file: cacheFolder(), what: "caches" },
    {
      file: repositoryKeyFile(findRepository(folder)?.gitDirectory ?? ""),
      what: "workspace of this repository",
    },
  ].filter(({ file }) => path.isAbsolute(file) && existsSync(file));
  const left = places.filter(({ file, what }) => {
    const isEmpty = what !== "workspace of this repository" && readdirSync(file).length === 0;
    if (isEmpty) rmdirSync(file);
    return !isEmpty;
  });
  if (left.length === 0) return [];
  const names = left.map(({ file, what }) => `${file} (${what})`).join(", ");
  return [`left: ${names}. Delete ${left.length === 1 ? "it" : "them"} if you use toolpacks no more`];
}
