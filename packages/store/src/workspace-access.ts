import { ToolError, type Store, type WorkspaceAccess } from "@toolpacks/core";

/** The workspaces that a view of a store can access. */
export interface AllowedWorkspaces {
  readonly ids: Store["allowedWorkspaces"];
  /** What to do about a workspace that is not allowed. */
  readonly hint?: string | undefined;
}

/** Allows the restricted store's own workspace and the workspaces that the access names. */
export function allowWorkspaces(own: string, { workspaces, hint }: WorkspaceAccess): AllowedWorkspaces {
  if (workspaces === "all") return { ids: "all" };
  return { ids: [...new Set([own, ...(workspaces === "own" ? [] : workspaces)])], hint };
}

export function isAllowed({ ids }: AllowedWorkspaces, id: string): boolean {
  return ids === "all" || ids.includes(id);
}

/** @throws ToolError `denied` */
export function requireAllowed(allowed: AllowedWorkspaces, id: string): void {
  if (isAllowed(allowed, id)) return;
  throw new ToolError("denied", `workspace: ${JSON.stringify(id)} may not be opened from here`, allowed.hint);
}
