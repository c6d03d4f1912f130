import type { Failure } from "@toolpacks/core";
import type { ActionResult } from "./action-result.ts";
import { LimitExceeded } from "./run-budget.ts";

const cancelled: Failure = { code: "cancelled", message: "the run was cancelled" };

/**
 * Runs a call that ends when it is cancelled or takes too long. One that goes on all the same is not waited for.
 *
 * @param timeout milliseconds
 */
export async function inTime(
  signal: AbortSignal,
  timeout: number | undefined,
  work: (signal: AbortSignal) => Promise<ActionResult>,
): Promise<ActionResult> {
  if (signal.aborted) return { status: "failed", failure: endedBy(signal) };
  const ending = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<ActionResult>();
  const end = (reason: unknown) => {
    ending.abort(reason);
    resolve({ status: "failed", failure: endedBy(ending.signal) });
  };
  const timer = timeout === undefined ? undefined : setTimeout(() => end(new TooLate(timeout)), timeout);
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

/**
 * The same for steps that hold other steps: each of those ends by the signal, and all are waited for.
 */
export async function allInTime(
  signal: AbortSignal,
  timeout: number | undefined,
  work: (signal: AbortSignal) => Promise<ActionResult>,
): Promise<ActionResult> {
  if (timeout === undefined) return work(signal);
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new TooLate(timeout)), timeout);
  const result = await work(AbortSignal.any([signal, ending.signal]));
  clearTimeout(timer);
  if (result.status !== "failed" || !ending.signal.aborted || signal.aborted) return result;
  return { ...result, failure: endedBy(ending.signal) };
}

/** Why a signal fired that was not the caller's. */
class TooLate {
  readonly timeout: number;

  constructor(timeout: number) {
    this.timeout = timeout;
  }
}

/** What a step that was stopped failed of: the caller's will, or time. */
export function endedBy({ reason }: AbortSignal): Failure {
  if (reason instanceof LimitExceeded) return reason.failure;
  if (!(reason instanceof TooLate)) return cancelled;
  return { code: "unavailable", message: `it took longer than ${reason.timeout} ms and was stopped` };
}
