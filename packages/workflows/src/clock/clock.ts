import { setTimeout as wait } from "node:timers/promises";
import type { ClockOptions } from "./clock-options.ts";
import { createIssueWatch } from "./issue-watch.ts";
import { createTriggers } from "./triggers.ts";
import { createWaker } from "./wake-runs.ts";

/** Starts and wakes runs: at their time, after changes of records, and after their process was killed. */
export interface Clock {
  /** Begins no further run. Resolves when the store is not used any more, except by runs in progress. */
  stop(): Promise<void>;
  /** Resolves when no run of this clock is in progress. */
  idle(): Promise<void>;
}

/** Maximum time without a look at the store, in ms. A timer does not follow a system clock that is set. */
const maxSleepMs = 30_000;
/** Time during which several changes cause one look, in ms. */
const debounceMs = 25;
/** Delay after a failure of the store, in ms. */
const retryMs = 5_000;

/**
 * Starts a clock. Any number of processes may have one on the same store: each run is begun by one of them. Records in the store hold the due times, and
 * are claimed by compare-and-set, so that neither a killed process nor a clock that is set loses or repeats a run.
 */
export function startClock(options: ClockOptions): Clock {
  const { store, kinds, onError } = options;
  const sleep = createSleep();
  const waker = createWaker(options, sleep.wake);
  const checkIssues = createIssueWatch(store, () => kinds().find(({ name }) => name === "issue"));
  const fireTriggers = createTriggers(options);
  let watching: Promise<() => Promise<void>> | undefined;

  async function look(): Promise<number> {
    // Without a connection, each look tries again.
    watching ??= store.watch(sleep.wake);
    watching.catch(() => (watching = undefined));
    const nextTime = await fireTriggers();
    await checkIssues();
    await waker.wake();
    const next = Math.min(nextTime, await waker.nextDue());
    return Math.min(Math.max(next - Date.now(), 0), maxSleepMs);
  }

  async function run(): Promise<void> {
    while (!sleep.isOver()) {
      const delay = await look().catch((error: unknown) => {
        if (!sleep.isOver()) onError("the clock of workflows cannot use the store", error);
        return retryMs;
      });
      await sleep.until(delay);
    }
    await (
      await watching?.catch(() => undefined)
    )?.();
  }
  const ended = run();
  return {
    async stop() {
      sleep.end();
      await ended;
    },
    idle: () => waker.idle(),
  };
}

/** A sleep that changes of the store end early. */
function createSleep() {
  let isOver = false;
  let alarm = new AbortController();
  const wake = () => alarm.abort();
  return {
    wake,
    isOver: () => isOver,
    end() {
      isOver = true;
      wake();
    },
    /** @param ms maximum time */
    async until(ms: number) {
      await wait(ms, undefined, { signal: alarm.signal, ref: false }).catch(() => {});
      alarm = new AbortController();
      if (!isOver) await wait(debounceMs);
    },
  };
}
