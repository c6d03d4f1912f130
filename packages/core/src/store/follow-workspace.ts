import { AsyncLocalStorage } from "node:async_hooks";
import { delegatedStore } from "./delegated-store.ts";
import type { Store } from "./store.ts";

const chosen = new AsyncLocalStorage<string>();

/** Runs work in a workspace: what `followWorkspace` made looks at it until the work is done. */
export function runInWorkspace<T>(workspace: string, work: () => T): T {
  return chosen.run(workspace, work);
}

/** A store that looks at the workspace which the running call has chosen, and at its own otherwise, so that a pack need not know. */
export function followWorkspace(store: Store): Store {
  const current = () => {
    const workspace = chosen.getStore();
    return workspace === undefined || workspace === store.workspace ? store : store.in(workspace);
  };
  return delegatedStore(current);
}
