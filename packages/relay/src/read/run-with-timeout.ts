import vm from "node:vm";

const script = new vm.Script("work()");

/**
 * Runs synchronous work with a timeout. Node can interrupt only a script, so a constant script calls `work`; no other code is
 * evaluated.
 *
 * @param tookTooLong creates the error for a timeout
 */
export function runWithTimeout<Result>(work: () => Result, ms: number, tookTooLong: () => Error): Result {
  try {
    return script.runInNewContext({ work }, { timeout: ms }) as Result;
  } catch (error) {
    // Errors of the script's context are not instances of our classes.
    if ((error as { code?: unknown } | undefined)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw tookTooLong();
  }
}
