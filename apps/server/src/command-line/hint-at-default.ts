import { defaultWorkspace } from "@toolpacks/core";
import { printError, type Io } from "@toolpacks/terminal";
import { currentProject } from "../config/settings.ts";
import type { Runtime } from "../mount/runtime.ts";
import { storeExists } from "../stores/open-store.ts";

/**
 * Before the first call in a new project, says how to bring the records of the workspace `default` into the project's, if it has some. The call leaves a trace,
 * so that the project is no longer new. A store that cannot be read is left to the call.
 */
export async function hintAtDefault(io: Io, { settings, store, mounting }: Runtime): Promise<void> {
  const isOfProject = settings.roots.origin === currentProject && settings.workspace.value === undefined;
  if (!isOfProject || !storeExists(settings.store)) return;
  const used = await store.workspaces().catch((): readonly string[] => []);
  if (used.includes(store.workspace) || !used.includes(defaultWorkspace)) return;
  // Sealed kinds, such as traces, are no records of a person.
  const kinds = mounting.packs.flatMap((pack) => pack.kinds).filter(({ sealed }) => !sealed);
  const pages = await Promise.allSettled(kinds.map((kind) => store.in(defaultWorkspace).query(kind, { limit: 1 })));
  if (!pages.some((page) => page.status === "fulfilled" && page.value.total > 0)) return;
  const command = `toolpacks workspaces join ${defaultWorkspace} --move`;
  printError(io, `toolpacks: this project has no records yet; to move those of the workspace default here: ${command}`);
}
