const timeIsOver = new Error("the time is over");

/**
 * One call's time limit, which starts anew at each sign of life and stands still while a person is asked. Its end, and the caller's going away,
 * are told to `onend` or by `signal`, which is made for those alone who need one: it would cost a call a tenth of its time.
 */
export class CallTimer {
  /** On `performance`'s clock; infinite while the time is held. */
  deadline = 0;
  /** Whether the time is over. */
  isOver = false;
  /** Told why the call need not go on. */
  onend: ((reason: unknown) => void) | undefined;
  readonly #timers: CallTimers;
  readonly #caller: AbortSignal;
  #abort: AbortController | undefined;
  #held = 0;

  constructor(timers: CallTimers, caller: AbortSignal) {
    this.#timers = timers;
    this.#caller = caller;
    caller.addEventListener("abort", this);
    this.restart();
  }

  /** Fires when the time is over, or when the caller's signal does. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.isOver || this.#caller.aborted) this.#abort.abort(this.#reason);
    return this.#abort.signal;
  }

  restart(): void {
    this.deadline = this.#held > 0 ? Number.POSITIVE_INFINITY : performance.now() + this.#timers.limitMs;
  }

  /** Holds the time until the work is done. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#held += 1;
    this.restart();
    try {
      return await work();
    } finally {
      this.#held -= 1;
      this.restart();
    }
  }

  /** The call has ended. */
  stop(): void {
    this.#timers.stop(this);
    this.#caller.removeEventListener("abort", this);
  }

  /** The time is over. */
  end(): void {
    if (this.isOver || this.#caller.aborted) return;
    this.isOver = true;
    this.#tell();
  }

  /** The caller has gone away. */
  handleEvent(): void {
    if (!this.isOver) this.#tell();
  }

  get #reason(): unknown {
    return this.isOver ? timeIsOver : this.#caller.reason;
  }

  #tell(): void {
    this.#abort?.abort(this.#reason);
    this.onend?.(this.#reason);
  }
}

/** The time limits of one server's calls, behind one timer: a call that ends in time has set none. */
export class CallTimers {
  readonly limitMs: number;
  readonly #running = new Set<CallTimer>();
  #isLooking = false;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  start(caller: AbortSignal): CallTimer {
    const call = new CallTimer(this, caller);
    this.#running.add(call);
    // One that is to look earlier finds this one, too.
    if (!this.#isLooking) this.#look(this.limitMs);
    return call;
  }

  stop(call: CallTimer): void {
    this.#running.delete(call);
  }

  #look(inMs: number): void {
    this.#isLooking = true;
    // What a call waits for keeps the process alive; this must not when there is none.
    setTimeout(() => this.#endLate(), inMs).unref();
  }

  /** Ends the calls whose time is over, and looks again when the next one's may be. */
  #endLate(): void {
    const now = performance.now();
    let next = now + this.limitMs;
    for (const call of this.#running) {
      if (call.deadline <= now) call.end();
      else next = Math.min(next, call.deadline);
    }
    this.#isLooking = false;
    if (this.#running.size > 0) this.#look(Math.ceil(next - now));
  }
}
