import { AsyncLocalStorage } from "node:async_hooks";
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
  const followed: Record<keyof Store, unknown> = {
    get workspace() {
      return current().workspace;
    },
    in: (workspace: string) => store.in(workspace),
    workspaces: () => store.workspaces(),
    put: (...given: Parameters<Store["put"]>) => current().put(...given),
    get: (...given: Parameters<Store["get"]>) => current().get(...given),
    query: (...given: Parameters<Store["query"]>) => current().query(...given),
    close: (...given: Parameters<Store["close"]>) => current().close(...given),
    reopen: (...given: Parameters<Store["reopen"]>) => current().reopen(...given),
    delete: (...given: Parameters<Store["delete"]>) => current().delete(...given),
    transaction: (work: (inside: Store) => Promise<unknown>) => current().transaction(work),
    generation: () => store.generation(),
    watch: (...given: Parameters<Store["watch"]>) => store.watch(...given),
  };
  return followed as unknown as Store;
}
