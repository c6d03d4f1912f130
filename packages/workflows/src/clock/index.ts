import type { Store } from "@toolpacks/core";
import type { Clock } from "./clock.ts";
import type { ClockOptions } from "./clock-options.ts";
import { wakeupKind } from "./wakeup-kind.ts";

export type { Clock } from "./clock.ts";
export type { ClockOptions } from "./clock-options.ts";
export { onWakeup } from "./new-wakeups.ts";

/** Starts a clock. Its code is loaded at the first call. */
export async function startClock(options: ClockOptions): Promise<Clock> {
  return (await import("./clock.ts")).startClock(options);
}

/** Whether a run in any workspace waits for the clock. */
export async function hasWakeups(store: Store): Promise<boolean> {
  const { items } = await store.query(wakeupKind, { everyWorkspace: true, limit: 1, fields: [] });
  return items.length > 0;
}
