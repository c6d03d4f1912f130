/** The timeout of one call. Progress restarts it, and a question to the user suspends it. */
export class CallTimeout {
  /** Whether the call has timed out. */
  isOver = false;
  // AbortSignal.any() is slow on Node 22, and leaks on a long-lived signal of the caller.
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #questions = 0;

  constructor(ms: number, caller: AbortSignal) {
    this.#caller = caller;
    caller.addEventListener("abort", this.#cancel);
    this.#timer = setTimeout(() => {
      if (this.#questions > 0) return;
      this.isOver = true;
      this.#controller.abort(new Error("timed out"));
    }, ms);
  }

  /** Aborted at the timeout, or when the caller's signal is. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.#timer.refresh();
  }

  /** Suspends the timeout during the work, and restarts it afterwards. */
  async suspend<T>(work: () => Promise<T>): Promise<T> {
    this.#questions += 1;
    try {
      return await work();
    } finally {
      this.#questions -= 1;
      this.restart();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#cancel);
  }

  readonly #cancel = (): void => this.#controller.abort(this.#caller.reason);
}
