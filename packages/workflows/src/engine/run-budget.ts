import type { Failure } from "@toolpacks/core";
import pLimit from "p-limit";
import type { RunLimits } from "./run-limits.ts";

/** Counts the resources that a run uses. The first exceeded limit aborts the run. */
export interface RunBudget {
  /** Aborted with a `LimitExceeded` as its reason. */
  readonly signal: AbortSignal;
  /** The limit that the run exceeded. */
  readonly exceeded: () => Failure | undefined;
  readonly takeStep: () => void;
  /** Adds the time of an expression in ms. */
  readonly takeExpressionTime: (ms: number) => Failure | undefined;
  /** Bytes of results that are left. */
  readonly remainingBytes: () => number;
  /** Throws for a value that is larger than the bytes that are left. */
  readonly checkBytes: (bytes: number) => Failure | undefined;
  /** Counts a kept result. */
  readonly keep: (bytes: number) => Failure | undefined;
  /** Runs a call when fewer than `maxConcurrency` calls are in progress. */
  readonly limitConcurrency: <T>(call: () => Promise<T>) => Promise<T>;
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
    remainingBytes: () => limits.maxBytes - bytes,
    checkBytes: (count) => (bytes + count > limits.maxBytes ? exceed(tooManyBytes(limits)) : undefined),
    keep(count) {
      bytes += count;
      return bytes > limits.maxBytes ? exceed(tooManyBytes(limits)) : undefined;
    },
    limitConcurrency: pLimit(limits.maxConcurrency),
    end: () => clearTimeout(timer),
  };
}

function tooManySteps({ maxSteps }: RunLimits): Failure {
  return failureOf("maxSteps", `the run has more than ${maxSteps.toLocaleString("en")} steps`);
}

function tooMuchExpressionTime({ maxExpressionSeconds }: RunLimits): Failure {
  const message = `the expressions of the run took longer than ${maxExpressionSeconds} s together`;
  return failureOf("maxExpressionSeconds", message);
}

function tooManyBytes({ maxBytes }: RunLimits): Failure {
  return failureOf("maxBytes", `the results of the run are larger than ${maxBytes.toLocaleString("en")} bytes`);
}

function failureOf(limit: keyof RunLimits, message: string): Failure {
  const hint = `Split it into several runs. The user can raise packs.workflows.limits.${limit}.`;
  return { code: "too_large", message, hint };
}
