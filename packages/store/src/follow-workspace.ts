import { AsyncLocalStorage } from "node:async_hooks";
import { noticeEmptyQueries } from "./empty-queries.ts";
import type { Store } from "@toolpacks/core";

const chosen = new AsyncLocalStorage<string>();

/** Runs work in a workspace. Stores from `followWorkspace` use this workspace until the work ends. */
export function runInWorkspace<T>(workspace: string, work: () => T): T {
  return chosen.run(workspace, work);
}

/** A store that uses the workspace of the running call, or its own workspace otherwise. `sayElsewhere` sees its empty queries. */
export function followWorkspace(store: Store): Store {
  return noticeEmptyQueries(store, () => {
    const workspace = chosen.getStore();
    return workspace === undefined || workspace === store.workspace ? store : store.in(workspace);
  });
}
