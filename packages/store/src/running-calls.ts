import { ToolError } from "@toolpacks/core";

/** Work that runs when a store ends. */
export function createEndWork() {
  const works = new Set<{
    readonly end: () => Promise<unknown>;
    readonly flush: (() => Promise<unknown>) | undefined;
  }>();
  return {
    /** Adds work, and what flushes a queue without ending it. The work can make calls. Returns a function that removes it. */
    add: (end: () => Promise<unknown>, flush?: () => Promise<unknown>) => {
      // One function may be added several times.
      const own = { end, flush };
      works.add(own);
      return () => void works.delete(own);
    },
    /** Runs all work at once, or all flushes. Never rejects. */
    run: (of: "end" | "flush") => Promise.allSettled([...works].map(async (work) => work[of]?.())),
  };
}

export type RunningCalls = ReturnType<typeof createRunningCalls>;

/** Tracks the running calls of a store. */
export function createRunningCalls() {
  const running = new Set<Promise<void>>();
  const endWork = createEndWork();
  let ended = false;
  return {
    /** Runs a call. `end` waits for it. Rejects with `unavailable` after the end. */
    async run<T>(call: () => Promise<T>): Promise<T> {
      if (ended) throw new ToolError("unavailable", "the store was closed");
      const result = call();
      const forget = () => void running.delete(tracked);
      const tracked: Promise<void> = result.then(forget, forget);
      running.add(tracked);
      return result;
    },
    beforeEnd: endWork.add,
    flush: () => endWork.run("flush"),
    /** Runs the registered work, then rejects new calls, and resolves when no call is running. */
    async end() {
      await endWork.run("end");
      ended = true;
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Calls `report` with the error of a call that fails because of the database. */
export async function reportUnavailable<T>(
  call: Promise<T>,
  report: ((error: unknown) => void) | undefined,
): Promise<T> {
  if (report === undefined) return call;
  try {
    return await call;
  } catch (error) {
    if (!ToolError.is(error) || error.code === "unavailable") report(error);
    throw error;
  }
}
