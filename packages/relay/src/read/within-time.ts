import vm from "node:vm";
import { ToolError } from "@toolpacks/core";

const script = new vm.Script("work()");

/**
 * Runs work that may take forever on some input, and breaks it off. It evaluates nothing: the script above calls `work`, and a script is what Node
 * can stop.
 *
 * @throws ToolError `too_large` when it takes longer than `ms`
 */
export function withinTime<Result>(work: () => Result, ms: number, what: string): Result {
  try {
    return script.runInNewContext({ work }, { timeout: ms }) as Result;
  } catch (error) {
    // The script's own errors are of its context's classes.
    if ((error as { code?: unknown } | undefined)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new ToolError("too_large", `${what}: took longer than ${ms / 1000} s and was stopped`, "Ask for less of it.");
  }
}
