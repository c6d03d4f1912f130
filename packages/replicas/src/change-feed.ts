import type { Store } from "@toolpacks/core";

/** Interval of reads without a notification, in ms. Notifications are faster, but can be lost. */
const pollMs = 1_000;

/** Work that runs after writes to a store. */
export interface ChangeFeed {
  /** Runs the work now, or once more after its current run. */
  wake(): void;
  close(): void;
}

/** Runs work soon after each write of any process to a store, and regularly. Runs do not overlap. Work never rejects. */
export function followChanges(store: Store, work: () => Promise<void>): ChangeFeed {
  const state = { isRunning: false, isDue: false, isClosed: false };
  const run = async () => {
    state.isRunning = true;
    while (state.isDue && !state.isClosed) {
      state.isDue = false;
      await work();
    }
    state.isRunning = false;
  };
  const wake = () => {
    state.isDue = true;
    if (!state.isRunning) void run();
  };
  let watching: Promise<() => Promise<void>> | undefined;
  const poll = () => {
    // While the database cannot be reached, each poll tries again.
    watching ??= store.watch(wake);
    watching.catch(() => (watching = undefined));
    wake();
  };
  poll();
  const timer = setInterval(poll, pollMs).unref();
  return {
    wake,
    close() {
      state.isClosed = true;
      clearInterval(timer);
      // If the connection was lost, there is nothing to stop.
      watching?.then((stop) => stop()).catch(() => {});
    },
  };
}
