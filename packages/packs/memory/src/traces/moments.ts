/** Calls are over for now once none came for so long. */
const quietMs = 250;
/** Where they never are, something is done about it so long after the first of them. */
const latestMs = 5_000;

/** Tells when a server is left alone. */
export interface Moments {
  /** Notes that a call begins or ends now, and answers the time. It costs next to nothing. */
  called(): number;
}

export interface MomentsOptions {
  /** Whether there is something to do. */
  readonly hasSome: () => boolean;
  /** @param isQuiet false from the next call on: the work then stops, and is asked for again */
  readonly onQuiet: (isQuiet: () => boolean) => Promise<void>;
  /** Called where nobody pauses. */
  readonly onBusy: () => Promise<void>;
}

export function createMoments({ hasSome, onQuiet, onBusy }: MomentsOptions): Moments {
  let firstAt = 0;
  let lastAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const arm = (ms: number) => {
    timer ??= setTimeout(() => void onTime(), ms).unref();
  };
  // Calls only note the time, since setting a timer anew for each would cost more than all the rest.
  const onTime = async () => {
    const now = performance.now();
    const since = lastAt;
    const quietIn = lastAt + quietMs - now;
    const isQuiet = quietIn <= 1;
    const isLate = now - firstAt > latestMs;
    if (isQuiet) await onQuiet(() => lastAt === since);
    else if (isLate && hasSome()) await onBusy();
    if (isQuiet || isLate) firstAt = performance.now();
    timer = undefined;
    // What is left after a quiet moment cannot be done now.
    if (lastAt !== since) arm(quietMs);
    else if (!isQuiet) arm(quietIn);
  };
  return {
    called() {
      lastAt = performance.now();
      if (timer === undefined) {
        firstAt = lastAt;
        arm(quietMs);
      }
      return lastAt;
    },
  };
}
