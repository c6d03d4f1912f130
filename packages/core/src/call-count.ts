/** Counts running calls. */
export interface CallCount {
  /** How many calls are running. */
  running(): number;
  /** Runs a call and counts it until it ends. */
  run<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
}

/** @param all another count that includes these calls */
export function createCallCount(all?: CallCount): CallCount {
  const state: { running: number; becameIdle?: PromiseWithResolvers<void> | undefined } = { running: 0 };
  const counted = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    state.running += 1;
    try {
      return await call();
    } finally {
      state.running -= 1;
      if (state.running === 0) {
        state.becameIdle?.resolve();
        state.becameIdle = undefined;
      }
    }
  };
  return {
    running: () => state.running,
    run: (call) => (all === undefined ? counted(call) : all.run(() => counted(call))),
    async idle() {
      while (state.running > 0) await (state.becameIdle ??= Promise.withResolvers()).promise;
    },
  };
}
