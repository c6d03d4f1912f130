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

interface Running {
  /** On `performance`'s clock; infinite while the time is held. */
  deadline: number;
  readonly over: () => void;
}

/** The time limits of one server's calls, behind one timer: a call that ends in time has set none. */
export class CallTimers {
  readonly #limitMs: number;
  readonly #running = new Set<Running>();
  #isLooking = false;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  start(caller: AbortSignal): CallTimer {
    const over = new AbortController();
    const call: Running = { deadline: 0, over: () => over.abort(new Error("the time is over")) };
    let held = 0;
    const restart = () => {
      call.deadline = held > 0 ? Number.POSITIVE_INFINITY : performance.now() + this.#limitMs;
      // One that is to look earlier finds this one, too.
      if (!this.#isLooking) this.#look(this.#limitMs);
    };
    // `AbortSignal.any` costs a call a tenth of its time.
    const cancel = () => over.abort(caller.reason);
    // One that is over already tells no listener: a caller may go away while the server is still being met.
    if (caller.aborted) cancel();
    else caller.addEventListener("abort", cancel);
    this.#running.add(call);
    restart();
    return {
      signal: over.signal,
      isOver: () => over.signal.aborted && !caller.aborted,
      restart,
      hold: async (work) => {
        held += 1;
        restart();
        try {
          return await work();
        } finally {
          held -= 1;
          restart();
        }
      },
      stop: () => {
        this.#running.delete(call);
        caller.removeEventListener("abort", cancel);
      },
    };
  }

  #look(inMs: number): void {
    this.#isLooking = true;
    // What a call waits for keeps the process alive; this must not when there is none.
    setTimeout(() => this.#endLate(), inMs).unref();
  }

  /** Ends the calls whose time is over, and looks again when the next one's may be. */
  #endLate(): void {
    const now = performance.now();
    let next = now + this.#limitMs;
    for (const call of this.#running) {
      if (call.deadline <= now) call.over();
      else next = Math.min(next, call.deadline);
    }
    this.#isLooking = false;
    if (this.#running.size > 0) this.#look(Math.ceil(next - now));
  }
}
