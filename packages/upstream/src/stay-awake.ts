import { availableParallelism } from "node:os";

/** What does not come within this time is slept for. */
const mostMs = 0.5;
/** Of messages that seldom come in time, one in so many is looked for, in case that has changed. */
const seldom = 16;
/** Where there is one core, whoever looks keeps whom it waits for from working. */
const mayLook = availableParallelism() > 1;

/** Messages of one sort, such as one server's answers: whether they tend to come in time. */
export class Expectation {
  /** The share that did, the latest counting most. */
  #share = 1;
  #slept = 0;

  isWorthLooking(): boolean {
    if (this.#share > 0.3) return true;
    this.#slept += 1;
    return this.#slept % seldom === 0;
  }

  learn(cameInTime: boolean): void {
    this.#share = 0.9 * this.#share + (cameInTime ? 0.1 : 0);
  }
}

let expected: Expectation | undefined;
/** When there was nothing left to do but to wait. */
let idleSince: number | undefined;
let isScheduled = false;

/**
 * Keeps the event loop looking for its next event, rather than sleeping, until a message comes that is expected now, for 0.5 ms at most. To be
 * called whenever a message has come or gone, with what is expected next. Waking a process takes as long as a small call does altogether, and on
 * virtual machines longer; but looking takes a core that others may need, so that only what tends to come in time is looked for.
 */
export function stayAwake(next: Expectation): void {
  if (!mayLook) return;
  expected?.learn(true);
  expected = next.isWorthLooking() ? next : undefined;
  idleSince = undefined;
  if (expected === undefined || isScheduled) return;
  isScheduled = true;
  setImmediate(look);
}

function look(): void {
  const now = performance.now();
  idleSince ??= now;
  isScheduled = expected !== undefined && now - idleSince < mostMs;
  if (isScheduled) {
    setImmediate(look);
    return;
  }
  expected?.learn(false);
  expected = undefined;
}
