import { ToolError } from "../tool-error.ts";

/** Tracks the running calls of a store. */
export interface RunningCalls {
  /** Runs a call. `end` waits for it. Rejects with `unavailable` after the end. */
  readonly run: <T>(call: () => Promise<T>) => Promise<T>;
  /** Registers work that runs when the store ends. The work can make calls. */
  readonly beforeEnd: (work: () => Promise<void>) => void;
  /** Runs the registered work, then rejects new calls, and resolves when no call is running. */
  end(): Promise<void>;
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<Promise<void>>();
  const endWork: (() => Promise<void>)[] = [];
  let ended = false;
  return {
    run: async (call) => {
      if (ended) throw new ToolError("unavailable", "the store was closed");
      const result = call();
      const tracked: Promise<void> = result.then(
        () => void running.delete(tracked),
        () => void running.delete(tracked),
      );
      running.add(tracked);
      return result;
    },
    beforeEnd: (work) => void endWork.push(work),
    async end() {
      // The store ends even if this work fails.
      if (endWork.length > 0) await Promise.allSettled(endWork.map((work) => work()));
      ended = true;
      while (running.size > 0) await Promise.all(running);
    },
  };
}
