import { setImmediate } from "node:timers/promises";

/** Maximum time in ms that work blocks the event loop. */
const maxMsAtOnce = 10;

let turnStarted = performance.now();
let nextTurn: Promise<void> | undefined;

/**
 * Runs work in this turn of the event loop, or in a later turn when this one has lasted too long. The work starts right after
 * the check, so that many waiting tasks do not all run in one turn.
 */
export async function inShortTurn<T>(work: () => T): Promise<T> {
  while (performance.now() - turnStarted >= maxMsAtOnce) {
    nextTurn ??= setImmediate().then(() => {
      nextTurn = undefined;
      turnStarted = performance.now();
    });
    await nextTurn;
  }
  return work();
}

/** Yields to the event loop when this turn has lasted too long. */
export async function yieldToEventLoop(): Promise<void> {
  await inShortTurn(() => {});
}
