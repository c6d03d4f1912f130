import vm from "node:vm";

const script = new vm.Script("work()");

/**
 * Runs work that may take forever on some input, and breaks it off. It evaluates nothing: the script above calls `work`, and a script is what Node
 * can stop.
 *
 * @param tookTooLong the error for work that takes longer than `ms`
 */
export function withinTime<Result>(work: () => Result, ms: number, tookTooLong: () => Error): Result {
  try {
    return script.runInNewContext({ work }, { timeout: ms }) as Result;
  } catch (error) {
    // The script's own errors are of its context's classes.
    if ((error as { code?: unknown } | undefined)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw tookTooLong();
  }
}
