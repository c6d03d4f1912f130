import { defaultWorkspace, nearest, ToolError, type Store, type Stored } from "@toolpacks/core";
import { everyRecord, findLabelled, labelWorkspaces } from "@toolpacks/store";
import type { z } from "zod";
import { workspace } from "./workspace.ts";

type WorkspaceRecord = Stored<z.output<(typeof workspace)["schema"]>>;

/**
 * The ids of the workspaces that the store may open: its own first, then `default`, then every workspace with a record. Archived workspaces
 * are left out.
 */
export async function workspaceIds(store: Store): Promise<readonly string[]> {
  return unarchivedIds(store, await describedWorkspaces(store));
}

/** The workspace records of all workspaces, archived or not. */
export async function describedWorkspaces(store: Store): Promise<readonly WorkspaceRecord[]> {
  return Array.fromAsync(
    everyRecord(store, workspace, { everyWorkspace: true, includeClosed: true, skipDamaged: true }),
  );
}

/** Same as `workspaceIds`, for records that are read already. */
export async function unarchivedIds(store: Store, described: readonly WorkspaceRecord[]): Promise<readonly string[]> {
  const archived = new Set(described.filter(({ closed }) => closed).map((record) => record.workspace));
  const known = [store.workspace, ...(mayOpen(store, defaultWorkspace) ? [defaultWorkspace] : [])];
  return [...new Set([...known, ...(await store.workspaces())])].filter((id) => !archived.has(id));
}

/**
 * Opens the store on an existing workspace. Default: the store's own workspace.
 *
 * @param named the workspace's id or label
 * @throws ToolError `not_found`, with the existing workspaces; `denied` if the store may not open the workspace
 */
export async function openWorkspace(store: Store, named: string | undefined): Promise<Store> {
  if (named === undefined || named === store.workspace) return store;
  return openOneOf(store, named, await workspaceIds(store));
}

/** Same as `openWorkspace`, but opens archived workspaces too. */
export async function findWorkspace(store: Store, named: string): Promise<Store> {
  if (named === store.workspace) return store;
  const described = await describedWorkspaces(store);
  const ids = [...(await unarchivedIds(store, described)), ...described.map((record) => record.workspace)];
  return openOneOf(store, named, ids);
}

/** The unique label of the store's own workspace. */
export async function workspaceLabel(store: Store): Promise<string> {
  if (store.allowedWorkspaces !== "all" && store.allowedWorkspaces.length === 1) {
    return store.workspaceName(store.workspace);
  }
  const ids = [store.workspace, ...(await store.workspaces())];
  return labelWorkspaces(store, ids).get(store.workspace) ?? store.workspace;
}

function mayOpen(store: Store, id: string): boolean {
  return store.allowedWorkspaces === "all" || store.allowedWorkspaces.includes(id);
}

/** Maximum number of workspaces that an error names. */
const maxNamed = 30;

function openOneOf(store: Store, named: string, ids: readonly string[]): Store {
  const labels = labelWorkspaces(store, ids);
  const id = findLabelled(labels, named);
  if (id !== undefined) return store.in(id);
  // Throws `denied` for a workspace outside the store's limits, whether it exists or not.
  store.in(named);
  const names = [...labels.values()];
  const [near] = nearest(named, names);
  const more = names.length > maxNamed ? `, and ${names.length - maxNamed} more` : "";
  throw new ToolError(
    "not_found",
    `workspace: there is no workspace ${JSON.stringify(named)}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Workspaces: ${names.slice(0, maxNamed).join(", ")}${more}. workspace_create makes one.`,
  );
}
