import { ToolError } from "@toolpacks/core";

/** Tracks the running calls of a store. */
export interface RunningCalls {
  /** Runs a call. `end` waits for it. Rejects with `unavailable` after the end. */
  readonly run: <T>(call: () => Promise<T>) => Promise<T>;
  /** Registers work that runs when the store ends, and work of a flush. The work can make calls. Returns a function that removes it. */
  readonly beforeEnd: EndWork["add"];
  /** Runs the registered work of a flush. Never rejects. */
  flush(): Promise<unknown>;
  /** Runs the registered work, then rejects new calls, and resolves when no call is running. */
  end(): Promise<void>;
}

/** Work that runs when a store ends. */
export interface EndWork {
  /** Adds work, and what flushes a queue without ending it. Returns a function that removes it. */
  readonly add: (end: () => Promise<unknown>, flush?: () => Promise<unknown>) => () => void;
  /** Runs all work at once, or all flushes. Never rejects. */
  readonly run: (of: "end" | "flush") => Promise<unknown>;
}

export function createEndWork(): EndWork {
  const works = new Set<{
    readonly end: () => Promise<unknown>;
    readonly flush: (() => Promise<unknown>) | undefined;
  }>();
  return {
    add(end, flush) {
      // One function may be added several times.
      const own = { end, flush };
      works.add(own);
      return () => void works.delete(own);
    },
    run: (of) => Promise.allSettled([...works].map(async (work) => work[of]?.())),
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
    flush: () => endWork.run("flush"),
    async end() {
      await endWork.run("end");
      ended = true;
      while (running.size > 0) await Promise.all(running);
    },
  };
}
