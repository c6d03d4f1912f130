import { ToolError } from "../tool-error.ts";

/** Tracks the running calls of a store. */
export interface RunningCalls {
  /** Runs a call. `end` waits for it. Rejects with `unavailable` after the end. */
  readonly run: <T>(call: () => Promise<T>) => Promise<T>;
  /** Registers work that runs when the store ends. The work can make calls. Returns a function that removes it. */
  readonly beforeEnd: EndWork["add"];
  /** Runs the registered work, then rejects new calls, and resolves when no call is running. */
  end(): Promise<void>;
}

/** Work that runs when a store ends. */
export interface EndWork {
  /** Adds work. Returns a function that removes it. */
  readonly add: (work: () => Promise<void>) => () => void;
  /** Runs all work at once. Never rejects. */
  readonly run: () => Promise<void>;
}

export function createEndWork(): EndWork {
  const works = new Set<() => Promise<void>>();
  return {
    add(work) {
      // One function may be added several times.
      const own = () => work();
      works.add(own);
      return () => void works.delete(own);
    },
    async run() {
      if (works.size > 0) await Promise.allSettled([...works].map((work) => work()));
    },
  };
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<Promise<void>>();
  const endWork = createEndWork();
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
    beforeEnd: endWork.add,
    async end() {
      await endWork.run();
      ended = true;
      while (running.size > 0) await Promise.all(running);
    },
  };
}
