import { existsSync } from "node:fs";
import path from "node:path";
import { ConfigurationError, errorText, nearest, ToolError } from "@toolpacks/core";
import { findFolderWorkspace, joinWorkspace, nameInId } from "@toolpacks/workspaces";
import { resolveSettings } from "../config/resolve-settings.ts";
import type { Flags, Settings } from "../config/settings.ts";
import { type Io, print, printJson, shellQuote } from "@toolpacks/terminal";
import { folderRegistry } from "../stores/folder-registry.ts";
import { openStore, storeExists } from "../stores/open-store.ts";

export type WorkspacesFlags = Flags & { readonly json?: boolean };

interface KnownWorkspace {
  readonly id: string;
  /** The name of the folder for which the id was made. */
  readonly name: string;
  /** Known paths of this machine's folders that belong to the workspace. */
  readonly folders: readonly string[];
  /** Whether the store has records in the workspace. */
  readonly hasRecords: boolean;
  /** Whether the settings or the current folder select the workspace. */
  readonly isCurrent: boolean;
}

/** `toolpacks workspaces`: lists the workspaces of the store and of this machine's folders. */
export async function listWorkspaces(io: Io, flags: WorkspacesFlags): Promise<void> {
  const known = await readWorkspaces(await resolveSettings(flags, io.env, io.cwd), io.cwd);
  if (flags.json === true) printJson(io, known, 2);
  else print(io, ...(known.length === 0 ? ["none"] : known.map(renderWorkspace)));
}

/** `toolpacks workspaces join`: lets a folder use another workspace. No record moves. */
export async function joinFolder(
  io: Io,
  flags: WorkspacesFlags,
  ...[named, directory = "."]: readonly [named: string, directory?: string]
): Promise<void> {
  const target = path.resolve(io.cwd, directory);
  if (!existsSync(target)) throw new ConfigurationError(`${target}: no such directory`);
  const settings = await resolveSettings({ ...flags, root: [target] }, io.env, io.cwd);
  const known = await readWorkspaces(settings, target);
  const { id, name } = findWorkspace(known, named);
  const { folder, before } = join(settings, target, id);
  if (flags.json === true) return printJson(io, { id, name, folder, before });
  const label = name === id ? id : `${name} (${id})`;
  if (before === id) return print(io, `${folder} belongs to ${label} already`);
  print(io, `${folder} belongs to ${label} from now on. Restart the servers that run for it.`);
  if (known.some((one) => one.id === before && one.hasRecords)) {
    print(io, `Its records so far stay in ${before}; to go back: toolpacks workspaces join ${shellQuote(before)}`);
  }
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
  const entries = registry.entries();
  const store = storeExists(settings.store) ? await openStore(settings, { registersFolder: false }) : undefined;
  try {
    const inStore = new Set(await store?.workspaces());
    const ids = new Set([...entries.map(({ id }) => id), ...inStore, ...(current === undefined ? [] : [current])]);
    return [...ids].toSorted().map((id) => ({
      id,
      name: nameInId(id),
      folders: [...new Set(entries.flatMap((entry) => (entry.id === id ? entry.folders : [])))],
      hasRecords: inStore.has(id),
      isCurrent: id === current,
    }));
  } finally {
    await store?.end();
  }
}

/** Finds a workspace by its id or name. @throws ToolError when there is none, or several have the name */
function findWorkspace(known: readonly KnownWorkspace[], named: string): KnownWorkspace {
  const byName = known.filter(({ name }) => name === named);
  const found = known.find(({ id }) => id === named) ?? (byName.length === 1 ? byName[0] : undefined);
  if (found !== undefined) return found;
  if (byName.length > 0) {
    const ids = byName.map(({ id, folders }) => `${id}${folders.length === 0 ? "" : ` (${folders.join(", ")})`}`);
    throw new ToolError("invalid_input", `several workspaces are named ${named}: ${ids.join("; ")}`, "Name an id.");
  }
  const names = known.map(({ name }) => name);
  const [near] = nearest(named, names);
  throw new ToolError(
    "not_found",
    `there is no workspace ${JSON.stringify(named)}${near === undefined ? "" : `, did you mean ${near}?`}`,
    "toolpacks workspaces lists them.",
  );
}

function renderWorkspace({ id, name, folders, hasRecords, isCurrent }: KnownWorkspace): string {
  const shown = folders.map((folder) => (existsSync(folder) ? folder : `${folder} (gone)`));
  const parts = [...(name === id ? [] : [name]), ...(hasRecords ? [] : ["no records"]), ...shown];
  return `${isCurrent ? "*" : " "} ${id}${parts.length === 0 ? "" : `  ${parts.join(", ")}`}`;
}
