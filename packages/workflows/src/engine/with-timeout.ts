import type { Failure } from "@toolpacks/core";
import type { ActionResult } from "./action-result.ts";
import { LimitExceeded } from "./run-budget.ts";

const cancelled: Failure = { code: "cancelled", message: "the run was cancelled" };

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
  if (signal.aborted) return { status: "failed", failure: abortFailure(signal) };
  const late = new AbortController();
  const ended = AbortSignal.any([signal, late.signal]);
  const timer = timeout === undefined ? undefined : setTimeout(() => late.abort(new TimedOut(timeout)), timeout);
  const { promise: stopped, resolve } = Promise.withResolvers<ActionResult>();
  const stop = () => resolve({ status: "failed", failure: abortFailure(ended) });
  if (!awaitsWork) ended.addEventListener("abort", stop);
  try {
    const result = await Promise.race([work(ended), stopped]);
    const isLate = awaitsWork && result.status === "failed" && late.signal.aborted && !signal.aborted;
    return isLate ? { ...result, failure: abortFailure(late.signal) } : result;
  } finally {
    clearTimeout(timer);
    ended.removeEventListener("abort", stop);
  }
}

/** The abort reason of a step that timed out. */
class TimedOut {
  readonly timeout: number;

  constructor(timeout: number) {
    this.timeout = timeout;
  }
}

/** The failure of a stopped step: cancelled, or timed out. */
export function abortFailure({ reason }: AbortSignal): Failure {
  if (reason instanceof LimitExceeded) return reason.failure;
  if (!(reason instanceof TimedOut)) return cancelled;
  return { code: "unavailable", message: `it took longer than ${reason.timeout} ms and was stopped` };
}
