import { existsSync, readdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { cacheFolder, dataFolder, settingsFolder, userFolders } from "../user-folders.ts";
import { findServers } from "../warm/servers.ts";
import { repositoryKeyFile } from "../workspaces/repository-key.ts";
import { findRepository } from "../workspaces/repository.ts";

/** Removes the user's folders of toolpacks that are empty, and names what is left of toolpacks on this machine, with the way to remove it. */
export async function describeLeftBehind(): Promise<readonly string[]> {
  const servers = await findServers();
  for (const folder of userFolders()) removeEmpty(folder);
  const keyFile = repositoryKeyFile(findRepository(process.cwd())?.gitDirectory ?? "");
  const left = [
    { file: settingsFolder(), what: "settings" },
    { file: dataFolder(), what: "store" },
    { file: cacheFolder(), what: "caches" },
    { file: keyFile, what: "workspace of this repository" },
  ].filter(({ file }) => path.isAbsolute(file) && existsSync(file));
  if (left.length === 0) return [];
  const stop =
    servers.length === 0 ? "" : `; first stop the warm server${servers.length === 1 ? "" : "s"}: toolpacks warm stop`;
  return [
    `left: ${left.map(({ file, what }) => `${file} (${what})`).join(", ")}. Delete ${left.length === 1 ? "it" : "them"} if you use toolpacks no more${stop}`,
  ];
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
