import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defaultWorkspace } from "@toolpacks/core";
import { printError, type Io } from "@toolpacks/terminal";
import { currentProject } from "../config/settings.ts";
import type { Runtime } from "../mount/runtime.ts";
import { storeExists } from "../stores/open-store.ts";

/**
 * Says once in each project how to bring the records of the workspace `default` into the project's, if it has some: commands wrote there before they knew the
 * project. A store that cannot be read is left to the call.
 */
export async function hintAtDefault(io: Io, { settings, store, mounting }: Runtime): Promise<void> {
  const isOfProject = settings.roots.origin === currentProject && settings.workspace.value === undefined;
  if (!isOfProject || !storeExists(settings.store)) return;
  const folder = path.join(settings.folders.data, "hinted");
  if (existsSync(path.join(folder, store.workspace))) return;
  const used = await store.workspaces().catch((): readonly string[] => []);
  if (!used.includes(defaultWorkspace)) return;
  // Sealed kinds, such as traces, are no records of a person.
  const kinds = mounting.packs.flatMap((pack) => pack.kinds).filter(({ sealed }) => !sealed);
  const pages = await Promise.allSettled(kinds.map((kind) => store.in(defaultWorkspace).query(kind, { limit: 1 })));
  if (!pages.some((page) => page.status === "fulfilled" && page.value.total > 0)) return;
  if (!marksFirst(folder, store.workspace)) return;
  const command = `toolpacks workspaces join ${defaultWorkspace} --move`;
  printError(
    io,
    `toolpacks: the workspace ${defaultWorkspace} has records; to move them into this project: ${command}`,
  );
}

/** Makes an empty file. Returns false if it is there already, or cannot be made. */
function marksFirst(folder: string, name: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, name), "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}
