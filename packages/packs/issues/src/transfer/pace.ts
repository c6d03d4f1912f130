/** How long work may hold up everything else in the process. */
const maxBlockMs = 20;

/** Awaited between small pieces of long work. Lets other work run where the last pause was long ago, and throws once the signal aborts. */
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
