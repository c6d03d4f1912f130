import type { OwnedStore, WorkspaceAccess } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import type { MountPlan } from "./mount-plan.ts";

interface StoreChoice {
  readonly plan: Pick<MountPlan, "surface">;
  readonly settings: Pick<Settings, "workspaces">;
  /** Ids of the callers' workspaces, their own first. Undefined: the workspaces of the settings. */
  readonly workspaces: readonly string[] | undefined;
}

/**
 * Restricts the server's store to the workspaces that the callers of a mounting may open. `store` is for packs: on the two-tool surface, it is in the
 * workspace that the running call selects, and its empty lists say where there is more. `ownStore` stays in its own workspace, for traces and large values.
 */
export function mountStores(opened: OwnedStore, { plan, settings, workspaces }: StoreChoice) {
  const access = workspaceAccess(settings, workspaces);
  return {
    store: opened.restrict({ ...access, calls: plan.surface === "two-tool" ? "followed" : "noticed" }),
    // The limits of large results and traces hold for the whole store.
    ownStore: opened.restrict(workspaces === undefined ? { workspaces: "all" } : access),
  };
}

function workspaceAccess(settings: StoreChoice["settings"], workspaces: StoreChoice["workspaces"]): WorkspaceAccess {
  const [own] = workspaces ?? [];
  if (workspaces === undefined || own === undefined) {
    const hint =
      'Calls work in this project\'s workspace. The user may allow others: "workspaces" in the config file of toolpacks.';
    return { workspaces: settings.workspaces.value, hint };
  }
  return {
    workspace: own,
    workspaces,
    hint: "Leave the workspace out: the call then uses the caller's own workspace.",
  };
}
