import type { Failure } from "@toolpacks/core";
import pLimit from "p-limit";

/** What one run may use. */
export interface RunLimits {
  /** Steps that run, each round of a loop counted, with those that are skipped. */
  readonly maxSteps: number;
  /** Bytes of results that the run keeps in memory and in its report. */
  readonly maxBytes: number;
  readonly maxSeconds: number;
  /** Seconds that all expressions may take together. */
  readonly maxExpressionSeconds: number;
  /** Calls in progress at once. */
  readonly maxConcurrency: number;
}

/** Counts what a run uses. The first limit that is exceeded aborts the run. */
export interface RunBudget {
  /** Aborted with a `LimitExceeded` as its reason. */
  readonly signal: AbortSignal;
  /** Which limit the run exceeded. */
  readonly exceeded: () => Failure | undefined;
  readonly takeStep: () => void;
  /** Counts milliseconds that an expression took. */
  readonly takeExpressionTime: (ms: number) => Failure | undefined;
  /** Fails a loop before it starts. */
  readonly checkSteps: (count: number) => Failure | undefined;
  /** Bytes that may still be kept. */
  readonly remainingBytes: () => number;
  /** Fails for a value that is larger than what may still be kept. */
  readonly checkBytes: (bytes: number) => Failure | undefined;
  /** Counts a result that is kept. */
  readonly keep: (bytes: number) => Failure | undefined;
  /** Runs a call when fewer than `maxConcurrency` are in progress. */
  readonly inTurn: <T>(call: () => Promise<T>) => Promise<T>;
  readonly end: () => void;
}

/** The reason of an abort by a limit of the run. */
export class LimitExceeded {
  readonly failure: Failure;

  constructor(failure: Failure) {
    this.failure = failure;
  }
}

export function createRunBudget(limits: RunLimits): RunBudget {
  const controller = new AbortController();
  let steps = 0;
  let bytes = 0;
  let expressionMs = 0;
  let exceeded: Failure | undefined;
  const exceed = (failure: Failure): Failure => {
    exceeded ??= failure;
    controller.abort(new LimitExceeded(exceeded));
    return exceeded;
  };
  const timer = setTimeout(
    () => exceed(failureOf("maxSeconds", `the run took longer than ${limits.maxSeconds} s`)),
    limits.maxSeconds * 1_000,
  ).unref();
  return {
    signal: controller.signal,
    exceeded: () => exceeded,
    takeStep() {
      steps += 1;
      if (steps > limits.maxSteps) exceed(tooManySteps(limits));
    },
    takeExpressionTime(ms) {
      expressionMs += ms;
      return expressionMs > limits.maxExpressionSeconds * 1_000 ? exceed(tooMuchExpressionTime(limits)) : undefined;
    },
    checkSteps: (count) => (steps + count > limits.maxSteps ? exceed(tooManySteps(limits, steps + count)) : undefined),
    remainingBytes: () => limits.maxBytes - bytes,
    checkBytes: (count) => (bytes + count > limits.maxBytes ? exceed(tooManyBytes(limits)) : undefined),
    keep(count) {
      bytes += count;
      return bytes > limits.maxBytes ? exceed(tooManyBytes(limits)) : undefined;
    },
    inTurn: pLimit(limits.maxConcurrency),
    end: () => clearTimeout(timer),
  };
}

/** @param planned how many steps there would be, where that is known before they run */
export function tooManySteps({ maxSteps }: RunLimits, planned?: number): Failure {
  const most = maxSteps.toLocaleString("en");
  const message =
    planned === undefined
      ? `the run has more than ${most} steps`
      : `the run would have ${planned.toLocaleString("en")} steps, more than ${most}`;
  return failureOf("maxSteps", message);
}

function tooMuchExpressionTime({ maxExpressionSeconds }: RunLimits): Failure {
  const message = `the expressions of the run took longer than ${maxExpressionSeconds} s together`;
  return failureOf("maxExpressionSeconds", message);
}

function tooManyBytes({ maxBytes }: RunLimits): Failure {
  return failureOf("maxBytes", `the results of the run are larger than ${maxBytes.toLocaleString("en")} bytes`);
}

function failureOf(limit: keyof RunLimits, message: string): Failure {
  const hint = `Split it into several runs. Whoever configures the server can raise packs.workflows.limits.${limit}.`;
  return { code: "too_large", message, hint };
}
