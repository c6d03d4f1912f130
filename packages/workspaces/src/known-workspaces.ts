import { existsSync } from "node:fs";
import { nearest, ToolError } from "@toolpacks/core";
import { nameInId } from "./folder-workspace.ts";
import type { Registry } from "./registry.ts";

/** A workspace of a store or of this machine's folders. */
export interface KnownWorkspace {
  readonly id: string;
  /** The name of the folder for which the id was made. */
  readonly name: string;
  /** Known paths of this machine's folders that belong to the workspace. */
  readonly folders: readonly string[];
  /** Whether the store has records in the workspace. */
  readonly hasRecords: boolean;
  readonly isCurrent: boolean;
}

/** Lists the workspaces of a registry and of a store, sorted by id. */
export function knownWorkspaces(
  registry: Registry,
  inStore: ReadonlySet<string>,
  current: string | undefined,
): readonly KnownWorkspace[] {
  const folders = new Map<string, string[]>();
  for (const entry of registry.entries()) folders.set(entry.id, [...(folders.get(entry.id) ?? []), ...entry.folders]);
  const ids = new Set([...folders.keys(), ...inStore, ...(current === undefined ? [] : [current])]);
  return [...ids].toSorted().map((id) => ({
    id,
    name: nameInId(id),
    folders: [...new Set(folders.get(id))],
    hasRecords: inStore.has(id),
    isCurrent: id === current,
  }));
}

/** Finds a workspace by its id or name. @throws ToolError when there is none, or several have the name */
export function findWorkspace(known: readonly KnownWorkspace[], named: string): KnownWorkspace {
  const byName = known.filter(({ name }) => name === named);
  const found = known.find(({ id }) => id === named) ?? (byName.length === 1 ? byName[0] : undefined);
  if (found !== undefined) return found;
  if (byName.length > 0) {
    const ids = byName.map(({ id, folders }) => `${id}${folders.length === 0 ? "" : ` (${folders.join(", ")})`}`);
    throw new ToolError("invalid_input", `several workspaces are named ${named}: ${ids.join("; ")}`, "Name an id.");
  }
  const names = known.map(({ name }) => name);
  const [near] = nearest(named, names);
  const question = near === undefined ? "" : `, did you mean ${near}?`;
  throw new ToolError("not_found", `there is no workspace ${JSON.stringify(named)}${question}`);
}

/** Renders a workspace as one line of a list. */
export function renderWorkspace({ id, name, folders, hasRecords, isCurrent }: KnownWorkspace): string {
  const shown = folders.map((folder) => (existsSync(folder) ? folder : `${folder} (gone)`));
  const parts = [...(name === id ? [] : [name]), ...(hasRecords ? [] : ["no records"]), ...shown];
  return `${isCurrent ? "*" : " "} ${id}${parts.length === 0 ? "" : `  ${parts.join(", ")}`}`;
}
