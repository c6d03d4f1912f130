import type { Store } from "@toolpacks/core";
import type { Retention } from "@toolpacks/store";

/** Where reports are written. */
export interface Reports {
  readonly store: Store;
  /** Removes old reports of the workspace. Returns at once. */
  removeOld(): void;
}

/** @param onError called when reports cannot be removed */
export function createReports(store: Store, retention: Retention, onError: (error: unknown) => void): Reports {
  /** Workspaces whose removal has not begun. */
  const due = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  const remove = async (workspace: string) => {
    const { removeOldReports } = await import("./report-retention.ts");
    due.delete(workspace);
    await removeOldReports(store.in(workspace), retention);
  };
  store.beforeEnd(() => last);
  return {
    store,
    removeOld() {
      const { workspace } = store;
      if (due.has(workspace)) return;
      due.add(workspace);
      last = last.then(() => remove(workspace)).catch(onError);
    },
  };
}
