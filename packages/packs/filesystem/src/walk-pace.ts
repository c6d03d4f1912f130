import { setImmediate } from "node:timers/promises";

/** Keeps a walk from holding the process, and from going on without end. */
export interface WalkPace {
  /** True once the time is up. */
  readonly isOver: boolean;
  /** To be called for each entry. Lets other work run now and then, and throws when the caller is gone. */
  next(): Promise<void>;
}

/** How long a walk may hold the process without a pause, in ms. */
const maxHoldMs = 20;

export function createWalkPace(timeoutMs: number, signal: AbortSignal): WalkPace {
  const end = performance.now() + timeoutMs;
  let paused = performance.now();
  let isOver = false;
  return {
    get isOver() {
      return isOver;
    },
    async next() {
      const now = performance.now();
      isOver ||= now > end;
      if (now - paused < maxHoldMs) return;
      await setImmediate();
      paused = performance.now();
      signal.throwIfAborted();
    },
  };
}
