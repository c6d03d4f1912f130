import { ToolError } from "@toolpacks/core";

const minDelayMs = 1_000;
const maxDelayMs = 30_000;
/** Maximum reopenings of each stream in a series. */
const maxReopenings = 10;
/** A pause after which a new series begins. */
const seriesMs = 60_000;

/** Backoff for the event streams of one server: the first opens at once, and the delay of later ones doubles in a series. */
export class StreamBackoff {
  #openings = 0;
  /** Time of the latest opening, which may be in the future. */
  #openedAt = 0;

  /** Begins a new series, because the streams work. A pending delay stays. */
  reset(): void {
    this.#openings = Math.min(this.#openings, 1);
  }

  /**
   * The delay of the next stream in ms.
   *
   * @param now a monotonic time in ms
   * @param streams the number of streams that share the delay
   * @throws ToolError `unavailable` after too many openings in a series
   */
  next(now: number, streams: number): number {
    if (now - this.#openedAt > seriesMs) this.#openings = 0;
    const round = Math.floor((this.#openings - 1) / streams);
    if (round >= maxReopenings) {
      throw new ToolError("unavailable", `the server ended its event stream ${maxReopenings} times in a row`);
    }
    const delayMs = this.#openings === 0 ? 0 : Math.min(minDelayMs * 2 ** round, maxDelayMs) / streams;
    this.#openings += 1;
    this.#openedAt = Math.max(now, this.#openedAt + delayMs);
    return this.#openedAt - now;
  }
}
