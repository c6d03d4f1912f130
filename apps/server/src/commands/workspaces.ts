import { existsSync } from "node:fs";
import path from "node:path";
import { errorText, nearest, ToolError, type OwnedStore } from "@toolpacks/core";
import type { Flags, Settings } from "../config/settings.ts";
import { resolveSettings } from "../config/resolve-settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { print, printError, printJson } from "../print.ts";
import { shellQuote } from "../shell-quote.ts";
import { openStore, storeExists } from "../stores/open-store.ts";
import { ensureFolderWorkspace, findFolderWorkspace, pathIdentity } from "../workspaces/folder-workspace.ts";
import { isWorkspaceText, openRegistry, type Registry } from "../workspaces/registry.ts";
import { workspaceName } from "../workspaces/server-workspace.ts";
import { folderNotes, storeNotes } from "../workspaces/workspace-notes.ts";

export type WorkspacesFlags = Flags & { readonly json?: boolean };

interface KnownWorkspace {
  readonly id: string;
  readonly name: string;
  /** Known paths of this machine's folders that belong to the workspace. */
  readonly folders: readonly string[];
  /** Whether the store has records in the workspace. */
  readonly hasRecords: boolean;
  /** Whether the settings or the current folder select the workspace. */
  readonly isCurrent: boolean;
}

/** `toolpacks workspaces`: lists the workspaces of the store and of this machine's folders. */
export async function listWorkspaces(flags: WorkspacesFlags): Promise<void> {
  const settings = await resolveSettingsHere(flags);
  const { known, notes } = await readWorkspaces(settings);
  if (flags.json === true) {
    printJson(known, 2);
  } else {
    print(...(known.length === 0 ? ["none"] : known.map(renderWorkspace)));
  }
  for (const note of notes) printError(`note: ${note}`);
}

/** `toolpacks workspaces rename`: changes the display name of a workspace. The id stays the same. */
export async function renameWorkspace(
  { named, name }: { readonly named: string; readonly name: string },
  flags: WorkspacesFlags,
): Promise<void> {
  if (!isWorkspaceText(name)) {
    throw new ConfigurationError("name: expected 1 to 100 characters, none of them a control character");
  }
  const { known } = await readWorkspaces(await resolveSettingsHere(flags));
  const { id, name: before } = findWorkspace(known, named);
  writeRegistry(() => openRegistry().rename(id, name));
  printAnswer(flags, { id, name }, [`${id} is called ${name} (before: ${before})`]);
}

/** `toolpacks workspaces join`: lets a folder use another workspace. No record moves. */
export async function joinWorkspace(
  { named, directory }: { readonly named: string; readonly directory: string | undefined },
  flags: WorkspacesFlags,
): Promise<void> {
  const target = path.resolve(directory ?? ".");
  if (!existsSync(target)) throw new ConfigurationError(`${target}: no such directory`);
  const { known } = await readWorkspaces(await resolveSettingsHere({ ...flags, root: [target] }));
  const { id, name } = findWorkspace(known, named);
  const registry = openRegistry();
  const { folder, before } = writeRegistry(() => moveFolder(registry, target, id));
  const label = name === id ? id : `${name} (${id})`;
  if (before === id) return printAnswer(flags, { id, name, folder }, [`${folder} belongs to ${label} already`]);
  const hadRecords = known.some((one) => one.id === before && one.hasRecords);
  const lines = [
    `${folder} belongs to ${label} from now on. Restart the servers that run for it.`,
    ...(hadRecords
      ? [`Its records so far stay in ${before}; to go back: toolpacks workspaces join ${shellQuote(before)}`]
      : []),
  ];
  printAnswer(flags, { id, name, folder, before }, lines);
}

function moveFolder(registry: Registry, place: string, id: string) {
  const { id: before, folder, identity = pathIdentity(folder) } = ensureFolderWorkspace(registry, place);
  for (const one of new Set([identity, pathIdentity(folder)])) {
    const entry = registry.find(one);
    if (entry !== undefined) registry.replace(one, { ...entry, id });
    else if (one === identity) registry.replace(one, { id, folders: [folder] });
  }
  return { folder, before };
}

/** Resolves the settings. Without a root, the current folder is the root. */
async function resolveSettingsHere(flags: Flags): Promise<Settings> {
  const settings = await resolveSettings(flags, process.env, process.cwd());
  if (settings.roots.value.length > 0) return settings;
  return { ...settings, roots: { ...settings.roots, value: [process.cwd()] } };
}

async function readWorkspaces(settings: Settings) {
  const registry = openRegistry();
  const found = findFolderWorkspace(registry, settings.roots.value[0] ?? process.cwd());
  const current = settings.workspace.value ?? (found.isNew ? undefined : found.id);
  const entries = registry.entries();
  const store = await existingStore(settings);
  try {
    const inStore = new Set(await store?.workspaces());
    const ids = new Set([...entries.map(({ id }) => id), ...inStore, ...(current === undefined ? [] : [current])]);
    const known = [...ids].toSorted().map((id): KnownWorkspace => {
      const folders = entries.flatMap((entry) => (entry.id === id ? entry.folders : []));
      return {
        id,
        name: workspaceName(id),
        folders: [...new Set(folders)],
        hasRecords: inStore.has(id),
        isCurrent: id === current,
      };
    });
    const isNamed = settings.workspace.value !== undefined;
    const ofStore = store === undefined || isNamed ? [] : await storeNotes(store, found);
    return { known, notes: [...folderNotes(settings), ...ofStore] };
  } finally {
    await store?.end();
  }
}

/** Opens the store if it exists. A missing store is not created. */
async function existingStore(settings: Settings): Promise<OwnedStore | undefined> {
  return storeExists(settings.store) ? openStore(settings, { registersFolder: false }) : undefined;
}

/** Finds a workspace by its id or name. @throws ToolError when there is none, or several have the name */
function findWorkspace(known: readonly KnownWorkspace[], named: string): KnownWorkspace {
  const byId = known.find(({ id }) => id === named);
  if (byId !== undefined) return byId;
  const byName = known.filter(({ name }) => name === named);
  const [only] = byName;
  if (only !== undefined && byName.length === 1) return only;
  if (only !== undefined) {
    const ids = byName.map(({ id, folders }) => `${id}${folders.length === 0 ? "" : ` (${folders.join(", ")})`}`);
    throw new ToolError("invalid_input", `several workspaces are named ${named}: ${ids.join("; ")}`, "Name an id.");
  }
  const near = nearest(
    named,
    known.map(({ name }) => name),
  )[0];
  throw new ToolError(
    "not_found",
    `there is no workspace ${JSON.stringify(named)}${near === undefined ? "" : `, did you mean ${near}?`}`,
    "toolpacks workspaces lists them.",
  );
}

/** Runs a function that writes to the registry. @throws ToolError `unavailable` when the write fails */
function writeRegistry<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const message = errorText(error);
    throw new ToolError("unavailable", `the registry of workspaces cannot be written: ${message}`);
  }
}

function printAnswer({ json }: WorkspacesFlags, value: object, lines: readonly string[]): void {
  if (json === true) printJson(value);
  else print(...lines);
}

function renderWorkspace({ id, name, folders, hasRecords, isCurrent }: KnownWorkspace): string {
  const shown = folders.map((folder) => (existsSync(folder) ? folder : `${folder} (gone)`));
  const parts = [...(name === id ? [] : [name]), ...(hasRecords ? [] : ["no records"]), ...shown];
  return `${isCurrent ? "*" : " "} ${id}${parts.length === 0 ? "" : `  ${parts.join(", ")}`}`;
}
