import { ToolError } from "../tool-error.ts";

/** The calls of a store that have not settled. */
export interface RunningCalls {
  /** Runs a call, which `end` then waits for. Rejects with `unavailable` after it. */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Lets no further call begin, and resolves when none runs. */
  end(): Promise<void>;
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<Promise<void>>();
  let ended = false;
  return {
    async run(call) {
      if (ended) throw new ToolError("unavailable", "the store was closed");
      const result = call();
      const settled: Promise<void> = result.then(
        () => void running.delete(settled),
        () => void running.delete(settled),
      );
      running.add(settled);
      return result;
    },
    async end() {
      ended = true;
      while (running.size > 0) await Promise.all(running);
    },
  };
}
