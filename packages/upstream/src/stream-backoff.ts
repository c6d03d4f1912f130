import { ToolError } from "@toolpacks/core";

const minDelayMs = 1_000;
const maxDelayMs = 30_000;
/** Maximum number of times that each stream is reopened in a series. */
const maxReopenings = 10;
/** A stream that is opened this long after the one before begins a new series. */
const seriesMs = 60_000;

/** When the event streams of one server may be opened: the first at once, each later one after a delay that doubles in a series. */
export class StreamBackoff {
  #openings = 0;
  /** When the latest stream was opened, or will be. */
  #openedAt = 0;

  /** The streams work: begins a new series, whose first delay is still waited for. */
  reset(): void {
    this.#openings = Math.min(this.#openings, 1);
  }

  /**
   * The delay of the stream that is opened next, in milliseconds.
   *
   * @param now In milliseconds of a clock that never goes back
   * @param streams How many streams the server may have at once, which share the delay
   * @throws ToolError `unavailable` after too many in a series
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
