import type { Store } from "@toolpacks/core";
import { createWriteBehind, type Retention, type WriteBehind } from "@toolpacks/store";

/** Where reports are written. */
export interface Reports {
  readonly store: Store;
  /** Writes the reports of runs that changed nothing, after the response, and removes old reports. */
  readonly queue: WriteBehind;
}

/** @param onError called when reports cannot be written or removed */
export function createReports(store: Store, retention: Retention, onError: (error: unknown) => void): Reports {
  const removeOld = async (inside: Store) => {
    const { removeOldReports } = await import("./report-retention.ts");
    await removeOldReports(inside, retention);
  };
  return { store, queue: createWriteBehind(store, { removeOld, onError }) };
}
