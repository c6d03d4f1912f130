import { defaultWorkspace, everyRecord, nearest, ToolError, type Store, type Stored } from "@toolpacks/core";
import type { z } from "zod";
import { workspace } from "./workspace.ts";

type WorkspaceRecord = Stored<z.output<(typeof workspace)["schema"]>>;

/**
 * The names of the workspaces that there are: `default`, the store's own, and every one with a description or any record in it,
 * but for those that were archived. Sorted, `default` first.
 */
export async function workspaceNames(store: Store): Promise<readonly string[]> {
  return unarchivedNames(store, await describedWorkspaces(store));
}

/** The record of every workspace that has one, archived or not. */
export async function describedWorkspaces(store: Store): Promise<readonly WorkspaceRecord[]> {
  return Array.fromAsync(everyRecord(store, workspace, { everyWorkspace: true, includeClosed: true }));
}

/** `workspaceNames`, for whoever has read the records. */
export async function unarchivedNames(store: Store, described: readonly WorkspaceRecord[]): Promise<readonly string[]> {
  const archived = new Set(described.filter(({ closed }) => closed).map(({ data }) => data.name));
  const known = new Set([...(await store.workspaces()), store.workspace].filter((name) => !archived.has(name)));
  known.delete(defaultWorkspace);
  return [defaultWorkspace, ...[...known].toSorted()];
}

/**
 * The store, looking at a workspace that exists; at its own where none is named.
 *
 * @throws ToolError `not_found` naming those that exist
 */
export async function openWorkspace(store: Store, name: string | undefined): Promise<Store> {
  if (name === undefined || name === store.workspace) return store;
  const names = await workspaceNames(store);
  if (names.includes(name)) return store.in(name);
  throw unknownWorkspace(name, names);
}

/**
 * The store, looking at a workspace that exists, archived or not.
 *
 * @throws ToolError `not_found` naming those that exist
 */
export async function findWorkspace(store: Store, name: string): Promise<Store> {
  const inside = store.in(name);
  if ((await inside.get(workspace, name)) !== undefined) return inside;
  const names = await workspaceNames(store);
  if (names.includes(name)) return inside;
  throw unknownWorkspace(name, names);
}

const mostNamed = 30;

function unknownWorkspace(name: string, names: readonly string[]): ToolError {
  const near = nearest(name, names)[0];
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : "";
  return new ToolError(
    "not_found",
    `workspace: there is no workspace ${JSON.stringify(name)}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Workspaces: ${names.slice(0, mostNamed).join(", ")}${more}. workspace_create makes one.`,
  );
}
