import { ToolError } from "../tool-error.ts";

/** The calls of a store that have not settled. */
export interface RunningCalls {
  /** Runs a call, which `end` then waits for. Rejects with `unavailable` after it. */
  readonly run: <T>(call: () => Promise<T>) => Promise<T>;
  /** Runs work, which may make calls, when the end has come. */
  readonly beforeEnd: (work: () => Promise<void>) => void;
  /** Lets no further call begin once what was to come before the end has, and resolves when none runs. */
  end(): Promise<void>;
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<Promise<void>>();
  const last: (() => Promise<void>)[] = [];
  let ended = false;
  return {
    run: async (call) => {
      if (ended) throw new ToolError("unavailable", "the store was closed");
      const result = call();
      const settled: Promise<void> = result.then(
        () => void running.delete(settled),
        () => void running.delete(settled),
      );
      running.add(settled);
      return result;
    },
    beforeEnd: (work) => void last.push(work),
    async end() {
      // What one of them rejects with is its own affair: the store ends all the same.
      if (last.length > 0) await Promise.allSettled(last.map((work) => work()));
      ended = true;
      while (running.size > 0) await Promise.all(running);
    },
  };
}
