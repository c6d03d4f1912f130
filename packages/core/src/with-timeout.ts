export interface TimeoutOptions<Late> {
  /** Timeout in milliseconds, below 2^31. */
  readonly ms: number;
  /** Called at the timeout. Its result takes the place of the work's, or it throws. */
  readonly onTimeout: () => Late;
}

/**
 * Waits for work until a timeout. Work that is a function gets a signal, which is aborted at the timeout. Work that goes on after the
 * timeout is not awaited, and its later rejection is ignored.
 *
 * The timer is cleared when the work ends. Until then it keeps the process running: a process that waits must reach its timeout,
 * also when nothing else is left to do. `AbortSignal.timeout` cannot be cleared and does not keep the process running.
 *
 * @throws what the work rejects with, or what `onTimeout` throws
 */
export async function withTimeout<Result, Late>(
  work: Promise<Result> | ((signal: AbortSignal) => Promise<Result>),
  { ms, onTimeout }: TimeoutOptions<Late>,
): Promise<Result | Late> {
  const controller = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(resolve, ms, "late");
  const ended = (typeof work === "function" ? work(controller.signal) : work).then((result) => ({ result }));
  try {
    const first = await Promise.race([ended, late]);
    if (first !== "late") return first.result;
    controller.abort(new DOMException(`timed out after ${ms} ms`, "TimeoutError"));
    return onTimeout();
  } finally {
    clearTimeout(timer);
  }
}
