/** So many at once, the others in the order in which they came. While there is room it costs next to nothing; an eighth of the JavaScript of a call was `p-limit`'s. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  get hasRoom(): boolean {
    return this.#free > 0;
  }

  /** Takes a turn, to be given back once. Undefined where there is room, and else what to wait for. */
  take(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return undefined;
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
