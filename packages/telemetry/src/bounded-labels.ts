/** The values of one label of a metric. After `max` values, every new one becomes `other`, so that the number of time series is bounded. */
export class BoundedLabels {
  readonly #max: number;
  readonly #known = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#max) return "other";
    this.#known.add(value);
    return value;
  }
}
