import { setImmediate } from "node:timers/promises";

/** Limits the time of a walk, and keeps it from blocking the event loop. */
export interface WalkPace {
  /** Whether the timeout has passed. */
  readonly isTimedOut: boolean;
  /** Call this for each entry. It yields to the event loop regularly, and throws if the signal is aborted. */
  next(): Promise<void>;
}

/** Maximum time that a walk blocks the event loop, in ms. */
const maxBlockMs = 20;

export function createWalkPace(timeoutMs: number, signal: AbortSignal): WalkPace {
  const end = performance.now() + timeoutMs;
  let pausedAt = performance.now();
  let isTimedOut = false;
  return {
    get isTimedOut() {
      return isTimedOut;
    },
    async next() {
      const now = performance.now();
      isTimedOut ||= now > end;
      if (now - pausedAt < maxBlockMs) return;
      await setImmediate();
      pausedAt = performance.now();
      signal.throwIfAborted();
    },
  };
}
