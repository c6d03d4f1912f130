import { ToolError } from "@toolpacks/core";
import type { ActionResult } from "./action-result.ts";

interface Limits {
  readonly signal: AbortSignal;
  /** In milliseconds. */
  readonly timeout: number | undefined;
  /** Whether the work is awaited after the end, because it ends the steps inside it. */
  readonly awaitsWork: boolean;
}

/** Runs an action until it ends, the run is cancelled, or the timeout. */
export async function withStepTimeout(
  { signal, timeout, awaitsWork }: Limits,
  work: (signal: AbortSignal) => Promise<ActionResult>,
): Promise<ActionResult> {
  if (signal.aborted) return { status: "failed", failure: abortError(signal) };
  const late = new AbortController();
  const ended = AbortSignal.any([signal, late.signal]);
  const onTimeout = () => late.abort(new ToolError("unavailable", `it took longer than ${timeout} ms and was stopped`));
  const timer = timeout === undefined ? undefined : setTimeout(onTimeout, timeout);
  const { promise: stopped, resolve } = Promise.withResolvers<ActionResult>();
  const stop = () => resolve({ status: "failed", failure: abortError(ended) });
  if (!awaitsWork) ended.addEventListener("abort", stop);
  try {
    const result = await Promise.race([work(ended), stopped]);
    const isLate = awaitsWork && result.status === "failed" && late.signal.aborted && !signal.aborted;
    return isLate ? { ...result, failure: abortError(late.signal) } : result;
  } finally {
    clearTimeout(timer);
    ended.removeEventListener("abort", stop);
  }
}

/** The error of a stopped step. The reason of the abort is a ToolError where a limit or a timeout was exceeded. */
export function abortError({ reason }: AbortSignal): ToolError {
  return ToolError.is(reason) ? reason : new ToolError("cancelled", "the run was cancelled");
}
