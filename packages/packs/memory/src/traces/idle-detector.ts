/** Time without a call after which the server is idle, in ms. */
const idleMs = 250;
/** Time of uninterrupted calls after which `onBusy` is called, in ms. */
const maxBusyMs = 30_000;

/** Detects when no calls arrive for some time. */
export interface IdleDetector {
  /** Records that a call begins or ends now. Returns the current time in ms. */
  recordCall(): number;
}

export interface IdleDetectorOptions {
  /** Whether work is pending. */
  readonly hasPending: () => boolean;
  /** Called when the server becomes idle. @param isIdle false after the next call; the work then stops, and `onIdle` is called again later */
  readonly onIdle: (isIdle: () => boolean) => Promise<void>;
  /** Called when calls arrive without a pause and work is pending. */
  readonly onBusy: () => Promise<void>;
}

export function createIdleDetector({ hasPending, onIdle, onBusy }: IdleDetectorOptions): IdleDetector {
  let firstAt = 0;
  let lastAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const arm = (ms: number) => {
    timer ??= setTimeout(() => void onTime(), ms).unref();
  };
  // Calls only record the time: a new timer for each call would be slow.
  const onTime = async () => {
    const now = performance.now();
    const since = lastAt;
    const idleIn = lastAt + idleMs - now;
    const isIdle = idleIn <= 1;
    const isLate = now - firstAt > maxBusyMs;
    if (isIdle) await onIdle(() => lastAt === since);
    else if (isLate && hasPending()) await onBusy();
    if (isIdle || isLate) firstAt = performance.now();
    timer = undefined;
    // Work that is left after an idle period waits for the next call.
    if (lastAt !== since) arm(idleMs);
    else if (!isIdle) arm(idleIn);
  };
  return {
    recordCall() {
      lastAt = performance.now();
      if (timer === undefined) {
        firstAt = lastAt;
        arm(idleMs);
      }
      return lastAt;
    },
  };
}
