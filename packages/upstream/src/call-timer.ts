/** A time limit that starts anew at each sign of life, and stands still while a person is asked. */
export interface CallTimer {
  /** Fires when the time is over, or when the caller's signal does. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  restart(): void;
  /** Holds the time until the work is done. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

export function createCallTimer(seconds: number, caller: AbortSignal): CallTimer {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let held = 0;
  const restart = () => {
    clearTimeout(timer);
    if (held === 0) timer = setTimeout(() => over.abort(new Error("the time is over")), seconds * 1_000);
  };
  // `AbortSignal.any` costs a call a tenth of its time.
  const cancel = () => over.abort(caller.reason);
  // One that is over already tells no listener: a caller may go away while the server is still being met.
  if (caller.aborted) cancel();
  else caller.addEventListener("abort", cancel);
  restart();
  return {
    signal: over.signal,
    isOver: () => over.signal.aborted && !caller.aborted,
    restart,
    async hold(work) {
      held += 1;
      clearTimeout(timer);
      try {
        return await work();
      } finally {
        held -= 1;
        restart();
      }
    },
    stop() {
      clearTimeout(timer);
      caller.removeEventListener("abort", cancel);
    },
  };
}
