import { availableParallelism } from "node:os";

/** Longer than a small call takes, and short beside anything that a person or a model waits for. */
const wakefulMs = 0.4;
/** The most messages of one sort that are slept for after others of it were looked for in vain. */
const mostRest = 64;
/** Where there is one core, whoever looks keeps whom it waits for from working. */
const mayLook = availableParallelism() > 1;

/** Messages of one sort, such as one server's answers: whether they tend to come soon. */
export class Expectation {
  /** How often in a row they were looked for in vain. */
  misses = 0;
  /** So many more of them are slept for. */
  rest = 0;
}

let until = 0;
let expected: Expectation | undefined;
let isScheduled = false;

/**
 * Keeps the event loop looking for its next event, rather than sleeping, until a message comes that is expected now, for 0.4 ms at most. To be
 * called whenever a message has come or gone, with what is expected next. Waking a process takes as long as a small call does altogether, and on
 * virtual machines longer; looking takes a core that others may need, so that it is done the less the more often it was in vain.
 */
export function stayAwake(next: Expectation): void {
  if (!mayLook) return;
  if (expected !== undefined) expected.misses = 0;
  expected = undefined;
  if (next.rest > 0) {
    next.rest -= 1;
    return;
  }
  expected = next;
  until = performance.now() + wakefulMs;
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(look);
}

function look(): void {
  isScheduled = expected !== undefined && performance.now() < until;
  if (isScheduled) setImmediate(look);
  else if (expected !== undefined) {
    expected.misses += 1;
    expected.rest = Math.min(mostRest, 2 ** expected.misses);
    expected = undefined;
  }
}
