import type { Store } from "@toolpacks/core";

/** Interval of reads without a notification, in ms. Notifications are faster, but can be lost. */
const pollMs = 1_000;

/** Work that runs after each write to a store. */
export interface Follower {
  /** Runs the work now, or after its current run. */
  run(): void;
  stop(): void;
}

/** Wakes work after each write of any process to a store. */
export interface ChangeFeed {
  /** Runs work soon after each write, and regularly. Runs do not overlap. */
  follow(work: () => Promise<void>): Follower;
  close(): void;
}

/** @param onError called when work of `follow` fails. It is run again. */
export function openChangeFeed(store: Store, onError: (error: unknown) => void): ChangeFeed {
  const followers = new Set<() => void>();
  const wake = () => {
    for (const run of followers) run();
  };
  let watching: Promise<() => Promise<void>> | undefined;
  const watch = () => {
    // While the database cannot be reached, each poll tries again.
    watching ??= store.watch(wake);
    watching.catch(() => (watching = undefined));
  };
  watch();
  const timer = setInterval(() => {
    watch();
    wake();
  }, pollMs);
  timer.unref();
  const follow = (work: () => Promise<void>) => {
    const run = withoutOverlap(() => work().catch(onError));
    followers.add(run);
    run();
    return { run, stop: () => void followers.delete(run) };
  };
  return {
    follow,
    close() {
      clearInterval(timer);
      followers.clear();
      // If the connection was lost, there is nothing to stop.
      watching?.then((stop) => stop()).catch(() => {});
    },
  };
}

/** A function that runs work, or once more after the current run. Work never rejects. */
function withoutOverlap(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isDue = false;
  const run = async () => {
    isRunning = true;
    while (isDue) {
      isDue = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isDue = true;
    if (!isRunning) void run();
  };
}
