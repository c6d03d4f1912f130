import type { Store } from "@toolpacks/core";
import { processKind } from "./replica-kinds.ts";

const heartbeatMs = 2_000;
/** Time without a heartbeat after which a process counts as dead, in ms. */
const silentMs = 6_000;
/** Maximum time between two observations. After a longer gap, the measurement starts again. */
const maxGapMs = 3_000;
const expiresAfterMs = 3_600_000;

/** Shows other processes that this process is alive, while it is needed. */
export interface Heartbeat {
  /** Starts it. Resolves when other processes can see it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param isNeeded whether the heartbeat goes on; asked before each beat */
export function createHeartbeat(store: Store, process: string, isNeeded: () => boolean): Heartbeat {
  let timer: NodeJS.Timeout | undefined;
  let isVisible = false;
  let last: Promise<void> = Promise.resolve();
  /** Runs writes one after the other, so that a late removal does not hide a new start. */
  const enqueue = (write: () => Promise<void>) => {
    const written = last.then(write);
    last = written.catch(() => {});
    return written;
  };
  const beat = () =>
    enqueue(async () => {
      await store.put(processKind, { expiresAt: Date.now() + expiresAfterMs }, { id: process });
      isVisible = true;
    });
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    isVisible = false;
    return enqueue(async () => void (await store.delete(processKind, process)));
  };
  return {
    async start() {
      timer ??= setInterval(() => {
        // After a failure, the next beat tries again.
        (isNeeded() ? beat() : stop()).catch(() => {});
      }, heartbeatMs).unref();
      if (!isVisible) await beat();
    },
    async stop() {
      if (timer !== undefined) await stop();
    },
  };
}

/**
 * Observes whether another process is alive. Only this machine's clock is used. A time in which the store could not be read does not count.
 *
 * @returns a function that is called regularly, and resolves to whether the process is alive
 */
export function observeHeartbeat(store: Store, process: string): () => Promise<boolean> {
  let generation: number | undefined;
  let beatAt = 0;
  let readAt = 0;
  return async () => {
    const record = await store.get(processKind, process);
    const now = performance.now();
    if (record === undefined) return false;
    if (record.generation !== generation || now - readAt > maxGapMs) beatAt = now;
    ({ generation } = record);
    readAt = now;
    return now - beatAt < silentMs;
  };
}
