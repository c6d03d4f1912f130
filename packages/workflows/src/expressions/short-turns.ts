import { setImmediate } from "node:timers/promises";

/** Work that never waits keeps out everything else: messages, timers, a cancellation. */
const maxMsAtOnce = 10;

let turnStarted = performance.now();
let nextTurn: Promise<void> | undefined;

/**
 * Does work in this turn of the event loop, or in a later one when this one is long already. The work begins in the moment of the check: of many that
 * wait, only as many go on in one turn as there is time for.
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

/** Waits for the event loop's next turn when this one is long already. */
export async function breathe(): Promise<void> {
  await inShortTurn(() => {});
}
