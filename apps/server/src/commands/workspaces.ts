import { existsSync } from "node:fs";
import path from "node:path";
import { ConfigurationError, errorText, ToolError } from "@toolpacks/core";
import { type Io, print, printJson, shellQuote } from "@toolpacks/terminal";
import {
  findFolderWorkspace,
  findWorkspace,
  joinWorkspace,
  knownWorkspaces,
  renderWorkspace,
  type KnownWorkspace,
} from "@toolpacks/workspaces";
import { resolveSettings } from "../config/resolve-settings.ts";
import type { Flags, Settings } from "../config/settings.ts";
import { folderRegistry } from "../stores/folder-registry.ts";
import { openStore, requireStore, storeExists } from "../stores/open-store.ts";

export type WorkspacesFlags = Flags & { readonly json?: boolean; readonly move?: boolean };

/** `toolpacks workspaces`: lists the workspaces of the store and of this machine's folders. */
export async function listWorkspaces(io: Io, flags: WorkspacesFlags): Promise<void> {
  const known = await readWorkspaces(await resolveSettings(flags, io.env, io.cwd), io.cwd);
  if (flags.json === true) printJson(io, known, 2);
  else print(io, ...(known.length === 0 ? ["none"] : known.map(renderWorkspace)));
}

/** `toolpacks workspaces join`: lets a folder use another workspace, or with `--move` moves its records into the workspace of the folder. */
export async function joinFolder(
  io: Io,
  flags: WorkspacesFlags,
  ...[named, directory = "."]: readonly [named: string, directory?: string]
): Promise<void> {
  const target = path.resolve(io.cwd, directory);
  if (!existsSync(target)) throw new ConfigurationError(`${target}: no such directory`);
  const settings = await resolveSettings({ ...flags, root: [target] }, io.env, io.cwd);
  const known = await readWorkspaces(settings, target);
  const { id, name, isCurrent } = findWorkspace(known, named);
  if (flags.move === true && !isCurrent) {
    const { to, moved, stayed } = await moveRecords(settings, id);
    if (flags.json === true) return printJson(io, { from: id, to, moved, stayed });
    print(io, `records moved from ${id} into ${to}: ${moved}`);
    for (const kept of stayed) print(io, `${kept} stays: its id is taken there, or it describes ${id}`);
    return;
  }
  const { folder, before } = join(settings, target, id);
  if (flags.json === true) return printJson(io, { id, name, folder, before });
  const label = name === id ? id : `${name} (${id})`;
  if (before === id) return print(io, `${folder} belongs to ${label} already`);
  print(io, `${folder} belongs to ${label} from now on. Restart the servers that run for it.`);
  if (known.some((one) => one.id === before && one.hasRecords)) {
    print(io, `Its records so far stay in ${before}; to go back: toolpacks workspaces join ${shellQuote(before)}`);
  }
}

/** Moves the records of a workspace into that of the settings, all or none. */
async function moveRecords(settings: Settings, from: string) {
  requireStore(settings.store);
  const store = await openStore(settings, { registersFolder: true });
  return { to: store.workspace, ...(await store.move(from, store.workspace).finally(() => store.end())) };
}

/** @throws ToolError `unavailable` when the registry cannot be written */
function join(settings: Settings, folder: string, id: string) {
  try {
    return joinWorkspace(folderRegistry(settings), folder, id);
  } catch (error) {
    throw new ToolError("unavailable", `the registry of workspaces cannot be written: ${errorText(error)}`);
  }
}

/** Reads the workspaces of this machine's folders and of the store. A store that does not exist is not created. */
async function readWorkspaces(settings: Settings, cwd: string): Promise<readonly KnownWorkspace[]> {
  const registry = folderRegistry(settings);
  const found = findFolderWorkspace(registry, settings.roots.value[0] ?? cwd);
  const current = settings.workspace.value ?? (found.isNew ? undefined : found.id);
  const store = storeExists(settings.store) ? await openStore(settings, { registersFolder: false }) : undefined;
  try {
    return knownWorkspaces(registry, new Set(await store?.workspaces()), current);
  } finally {
    await store?.end();
  }
}
