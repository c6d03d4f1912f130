import { AsyncLocalStorage } from "node:async_hooks";
import type { Store } from "@toolpacks/core";

const chosen = new AsyncLocalStorage<string>();

/** Runs work in a workspace. Stores that follow calls use this workspace until the work ends. */
export function runInWorkspace<T>(workspace: string, work: () => T): T {
  return chosen.run(workspace, work);
}

/** The store in the workspace of the running call, or else in its own. */
export function inChosenWorkspace(store: Store): Store {
  const workspace = chosen.getStore();
  return workspace === undefined || workspace === store.workspace ? store : store.in(workspace);
}
