import type { Store } from "@toolpacks/core";

/** Number of writes in a workspace after which its old records are removed. */
const writesPerRun = 200;

/** Removes old records of the workspaces in which records are written. */
export interface LateRemoval {
  countWrite(workspace: string): void;
  /** Whether a workspace has had its first write or enough writes. */
  isDue(): boolean;
  /** Removes old records where it is due, after the removal in progress. Never rejects. */
  run(): Promise<void>;
  /** Removes old records in every workspace with a write since its last removal. Never rejects. */
  runAll(): Promise<void>;
}

/** @param removeOld removes the old records of a workspace */
export function createLateRemoval(
  store: Store,
  removeOld: ((store: Store) => Promise<unknown>) | undefined,
  onError: (error: unknown) => void,
): LateRemoval {
  /** Number of writes in each workspace since its last removal. */
  const writes = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();
  const due = (minWrites: number) =>
    [...writes].filter(([, count]) => count >= minWrites).map(([workspace]) => workspace);
  const removeFrom = async (workspaces: readonly string[]) => {
    for (const workspace of workspaces) {
      writes.set(workspace, 0);
      try {
        await removeOld?.(store.in(workspace));
      } catch (error) {
        onError(error);
      }
    }
  };
  const run = (minWrites: number) => {
    if (due(minWrites).length > 0) last = last.then(() => removeFrom(due(minWrites)));
    return last;
  };
  return {
    countWrite(workspace) {
      if (removeOld === undefined) return;
      // The first removal in a workspace is due at once: a server may be killed before its next one.
      writes.set(workspace, (writes.get(workspace) ?? writesPerRun - 1) + 1);
    },
    isDue: () => due(writesPerRun).length > 0,
    run: () => run(writesPerRun),
    runAll: () => run(1),
  };
}
