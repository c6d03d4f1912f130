/** The time limit of one call. Progress restarts it, and a question to the user suspends it. */
export class CallTimeout {
  /** Whether the time is over. */
  isOver = false;
  // AbortSignal.any() would take several times as long as the rest of a call on Node 22, and leak on a caller's signal that lives long.
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

  /** Fires when the time is over, or when the caller's signal does. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.#timer.refresh();
  }

  /** Suspends the limit until the work is done, and restarts it then. */
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
