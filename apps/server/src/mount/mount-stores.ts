import type { OwnedStore, Store } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import { workspaceAccess } from "./caller-rights.ts";
import type { MountPlan } from "./mount-plan.ts";

/** The stores of a mounting. */
export interface MountStores {
  /** The store for packs. On the two-tool surface, it is in the workspace that the running call selects. Empty lists of it say where there is more. */
  readonly store: Store;
  /** The store in its own workspace, which the running call does not change. For traces and values that the server keeps. */
  readonly ownStore: Store;
  /** Writes queued records. The server's store stays open. */
  end(): Promise<void>;
}

interface StoreChoice {
  readonly plan: Pick<MountPlan, "surface">;
  readonly settings: Pick<Settings, "workspaces">;
  /** Ids of the callers' workspaces, their own first. Undefined: the workspaces of the settings. */
  readonly workspaces: readonly string[] | undefined;
}

/** Restricts the server's store to the workspaces that the callers of a mounting may open. */
export function mountStores(opened: OwnedStore, { plan, settings, workspaces }: StoreChoice): MountStores {
  const access = workspaceAccess(settings, workspaces);
  const store = opened.restrict({ ...access, calls: plan.surface === "two-tool" ? "followed" : "noticed" });
  // The limits of large results and traces hold for the whole store.
  const ownStore = opened.restrict(workspaces === undefined ? { workspaces: "all" } : access);
  return {
    store,
    ownStore,
    async end() {
      await Promise.all([store.end(), ownStore.end()]);
    },
  };
}
