import type { Store } from "@toolpacks/core";
import type { Clock } from "./clock.ts";
import type { ClockOptions } from "./clock-options.ts";
import { onWakeup, wakeupKind } from "./wakeup-kind.ts";

/** Delay before the first look at the store, in ms. The first requests of a server are answered before. */
const firstLookMs = 1_000;
/** Interval of looks for runs that other processes have begun, while there is no clock, in ms. */
const lookAgainMs = 60_000;
/** Delay after a run of this process has begun to wait, in ms. Its record is written then. */
const ownRunMs = 50;

export interface NeededClockOptions extends ClockOptions {
  /** The store for reading wakeups of every workspace. Undefined while there is no store, which the clock does not create. */
  readonly everyWorkspace: () => Store | undefined;
}

/**
 * Starts a clock when a workflow has `on`, or a run waits. Until then, it looks at the store once a minute, and loads no other code. It does not keep the
 * process alive.
 */
export function startClockWhenNeeded({ everyWorkspace, ...options }: NeededClockOptions): Pick<Clock, "stop"> {
  const hasTriggers = Object.values(options.sources).some(({ on }) => on !== undefined);
  let clock: Promise<Clock> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const lookLater = (ms: number) => {
    if (isOver || clock !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      look().catch((error: unknown) => {
        options.onError("runs of workflows that wait could not be read", error);
        lookLater(lookAgainMs);
      });
    }, ms).unref();
  };
  const look = async () => {
    const isNeeded = hasTriggers || (await hasWakeups(everyWorkspace()));
    if (!isNeeded) lookLater(lookAgainMs);
    else if (!isOver) clock ??= import("./clock.ts").then(({ startClock }) => startClock(options));
  };
  const stopListening = onWakeup(() => lookLater(ownRunMs));
  lookLater(firstLookMs);
  return {
    async stop() {
      isOver = true;
      clearTimeout(timer);
      stopListening();
      await (await clock?.catch(() => undefined))?.stop();
    },
  };
}

/** Whether a run in any workspace waits for the clock. */
async function hasWakeups(store: Store | undefined): Promise<boolean> {
  const found = await store?.query(wakeupKind, { everyWorkspace: true, limit: 1, fields: [] });
  return found !== undefined && found.items.length > 0;
}
