/** Maximum time that work blocks the event loop, in ms. */
const maxBlockMs = 20;

/** Yields to the event loop if the last pause is `maxBlockMs` ago. Then throws if the signal is aborted. Await it between pieces of long work. */
export type Pace = () => Promise<void>;

export function createPace(signal?: AbortSignal): Pace {
  let pausedAt = performance.now();
  return async () => {
    if (performance.now() - pausedAt < maxBlockMs) return;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    pausedAt = performance.now();
  };
}
