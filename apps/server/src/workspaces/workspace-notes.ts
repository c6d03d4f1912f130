import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import { defaultWorkspace, type Store } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import { shellQuote } from "../shell-quote.ts";
import { findFolderWorkspace, nameInId, type FolderWorkspace } from "./folder-workspace.ts";
import { openRegistry, type Registry } from "./registry.ts";
import { readRepositoryKey } from "./repository-key.ts";
import { workspaceName } from "./server-workspace.ts";

const joinCommand = (id: string) => `toolpacks workspaces join ${shellQuote(id)}`;

/** Notes for the user about the folder's workspace, from this machine's registry. */
export function folderNotes({ workspace, roots }: Pick<Settings, "workspace" | "roots">): readonly string[] {
  const registry = openRegistry();
  const [root] = roots.value;
  if (workspace.value !== undefined) return namesakeNotes(registry, workspace.value);
  if (root === undefined) return [];
  const found = findFolderWorkspace(registry, root);
  return [...movedNotes(registry, found), ...repositoryNotes(registry, found), ...registryNotes(registry)];
}

/**
 * Notes for the user about other workspaces in the store.
 *
 * @param store a store that may open every workspace
 */
export async function storeNotes(store: Store, found: FolderWorkspace): Promise<readonly string[]> {
  const { id: own, folder, identity, isNew } = found;
  const shared = new Set([
    path.basename(folder),
    ...(identity?.startsWith("path:") === true ? [defaultWorkspace] : []),
  ]);
  const ids = (await store.workspaces()).filter((id) => id !== own);
  const ofThisMachine = new Set(
    openRegistry()
      .entries()
      .map(({ id }) => id),
  );
  return ids.flatMap((id) => {
    if (shared.has(id)) {
      return `the store has records of a workspace ${JSON.stringify(id)}, which folders used to share by name; if they belong to ${folder}: ${joinCommand(id)}`;
    }
    const isForeign = id !== nameInId(id) && !ofThisMachine.has(id);
    if (!isNew || !isForeign || nameInId(id) !== nameInId(own)) return [];
    return `the store has records of a workspace ${id}, of no folder on this machine; if they belong to ${folder}: ${joinCommand(id)}`;
  });
}

/** Notes about folders that may have moved: a folder without git loses its workspace when it moves. */
function movedNotes(registry: Registry, { id: own, folder }: FolderWorkspace): readonly string[] {
  const gone = new Map<string, string>();
  for (const { id, folders } of registry.entries()) {
    const last = folders.at(-1);
    if (id === own || last === undefined || path.basename(last) !== path.basename(folder)) continue;
    if (!folders.some((one) => existsSync(one))) gone.set(id, last);
  }
  return [...gone].map(([id, last]) => `${last} is gone; if ${folder} is its new place: ${joinCommand(id)}`);
}

/** Notes about a repository that was created after the folder's workspace. */
function repositoryNotes(registry: Registry, { id: own, folder, within }: FolderWorkspace): readonly string[] {
  const key = within?.gitDirectory === undefined ? undefined : readRepositoryKey(registry, within.gitDirectory);
  const outer = key === undefined ? undefined : registry.find(`git:${key}`);
  const before = registry.entries().find(({ id, folders }) => id !== own && folders.includes(folder));
  return [
    ...(within !== undefined && outer !== undefined && outer.id !== own
      ? [
          `${folder} keeps a workspace of its own within ${within.folder}; to use the repository's: ${joinCommand(outer.id)}`,
        ]
      : []),
    ...(before === undefined || before.id === outer?.id
      ? []
      : [
          `${folder} belonged to another workspace, ${workspaceName(before.id)}; to use it again: ${joinCommand(before.id)}`,
        ]),
  ];
}

function registryNotes({ directory }: Registry): readonly string[] {
  let at = directory;
  while (!existsSync(at) && path.dirname(at) !== at) at = path.dirname(at);
  try {
    accessSync(at, constants.W_OK);
    return [];
  } catch {
    return [
      `${at} may not be written to, so a folder that moves or joins a workspace is forgotten; set a workspace with --workspace`,
    ];
  }
}

/** Notes about a setting that is the name of a workspace: a setting must be an id. */
function namesakeNotes(registry: Registry, named: string): readonly string[] {
  const entries = registry.entries();
  if (entries.some(({ id }) => id === named)) return [];
  const namesakes = entries.filter(({ id }) => workspaceName(id) === named);
  return namesakes.map(
    ({ id, folders }) =>
      `workspace ${JSON.stringify(named)} is not the one of ${folders.at(-1)}, which is --workspace ${id}`,
  );
}
