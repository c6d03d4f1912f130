import { ToolError, type Store, type WorkspaceAccess } from "@toolpacks/core";
import type { QueryPlan } from "./driver.ts";

/** The workspaces that a view of a store can access. */
export interface AllowedWorkspaces {
  readonly ids: Store["allowedWorkspaces"];
  /** The workspaces that a query over every workspace searches. */
  readonly every: QueryPlan["workspaces"];
  /** @throws ToolError `denied` */
  check(id: string): void;
  /** Filters ids to the allowed ones. */
  of(ids: readonly string[]): readonly string[];
}

export const everyWorkspace: AllowedWorkspaces = { ids: "all", every: "every", check: () => {}, of: (ids) => ids };

/** Allows the restricted store's own workspace and the workspaces that the access names. */
export function allowWorkspaces(own: string, { workspaces, hint }: WorkspaceAccess): AllowedWorkspaces {
  if (workspaces === "all") return everyWorkspace;
  const ids = [...new Set([own, ...(workspaces === "own" ? [] : workspaces)])];
  return {
    ids,
    every: ids.toSorted(),
    check(id) {
      if (ids.includes(id)) return;
      throw new ToolError("denied", `workspace: ${JSON.stringify(id)} may not be opened from here`, hint);
    },
    of: (all) => all.filter((id) => ids.includes(id)),
  };
}
