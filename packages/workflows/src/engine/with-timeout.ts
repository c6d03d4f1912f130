import type { Failure } from "@toolpacks/core";
import type { ActionResult } from "./action-result.ts";
import { LimitExceeded } from "./run-budget.ts";

const cancelled: Failure = { code: "cancelled", message: "the run was cancelled" };

/**
 * Runs a call with a timeout. It resolves when the call is cancelled or times out, even if the work goes on.
 *
 * @param timeout in milliseconds
 */
export async function withStepTimeout(
  signal: AbortSignal,
  timeout: number | undefined,
  work: (signal: AbortSignal) => Promise<ActionResult>,
): Promise<ActionResult> {
  if (signal.aborted) return { status: "failed", failure: abortFailure(signal) };
  const ending = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<ActionResult>();
  const end = (reason: unknown) => {
    ending.abort(reason);
    resolve({ status: "failed", failure: abortFailure(ending.signal) });
  };
  const timer = timeout === undefined ? undefined : setTimeout(() => end(new TimedOut(timeout)), timeout);
  const stop = () => end(signal.reason);
  signal.addEventListener("abort", stop);
  work(ending.signal).then(resolve, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** The same for a step with nested steps. The signal stops each nested step, and all are awaited. */
export async function withCompositeTimeout(
  signal: AbortSignal,
  timeout: number | undefined,
  work: (signal: AbortSignal) => Promise<ActionResult>,
): Promise<ActionResult> {
  if (timeout === undefined) return work(signal);
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new TimedOut(timeout)), timeout);
  const result = await work(AbortSignal.any([signal, ending.signal]));
  clearTimeout(timer);
  if (result.status !== "failed" || !ending.signal.aborted || signal.aborted) return result;
  return { ...result, failure: abortFailure(ending.signal) };
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
