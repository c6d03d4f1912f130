import { ToolError } from "@toolpacks/core";
import pLimit from "p-limit";
import type { RunLimits } from "./run-limits.ts";

/** Counts the resources that a run uses. The first exceeded limit aborts the run. */
export class RunBudget {
  readonly #limits: RunLimits;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #steps = 0;
  #bytes = 0;
  #expressionMs = 0;
  /** Runs a call when fewer than `maxConcurrency` calls are in progress. */
  readonly limitConcurrency: <T>(call: () => Promise<T>) => Promise<T>;

  constructor(limits: RunLimits) {
    this.#limits = limits;
    this.limitConcurrency = pLimit(limits.maxConcurrency);
    const { maxSeconds } = limits;
    this.#timer = setTimeout(
      () => this.#exceed("maxSeconds", `the run took longer than ${maxSeconds} s`),
      maxSeconds * 1_000,
    ).unref();
  }

  /** Aborted with the error of the exceeded limit. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The error of the limit that the run exceeded. */
  get exceeded(): ToolError | undefined {
    return this.signal.aborted ? (this.signal.reason as ToolError) : undefined;
  }

  /** Bytes of results that are left. */
  get remainingBytes(): number {
    return this.#limits.maxBytes - this.#bytes;
  }

  takeStep(): void {
    this.#steps += 1;
    const { maxSteps } = this.#limits;
    if (this.#steps > maxSteps)
      this.#exceed("maxSteps", `the run has more than ${maxSteps.toLocaleString("en")} steps`);
  }

  /** Adds the time of an expression in ms. @throws ToolError `too_large` */
  takeExpressionTime(ms: number): void {
    this.#expressionMs += ms;
    const { maxExpressionSeconds } = this.#limits;
    if (this.#expressionMs <= maxExpressionSeconds * 1_000) return;
    const message = `the expressions of the run took longer than ${maxExpressionSeconds} s together`;
    throw this.#exceed("maxExpressionSeconds", message);
  }

  /** @throws ToolError `too_large` for a value that is larger than the bytes that are left */
  checkBytes(bytes: number): void {
    if (bytes > this.remainingBytes) throw this.#tooManyBytes();
  }

  /** Counts a kept result. Returns the error if it is too large. */
  keep(bytes: number): ToolError | undefined {
    this.#bytes += bytes;
    return this.remainingBytes < 0 ? this.#tooManyBytes() : undefined;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #tooManyBytes(): ToolError {
    const max = this.#limits.maxBytes.toLocaleString("en");
    return this.#exceed("maxBytes", `the results of the run are larger than ${max} bytes`);
  }

  #exceed(limit: keyof RunLimits, message: string): ToolError {
    const hint = `Split it into several runs. The user can raise packs.workflows.limits.${limit}.`;
    this.#controller.abort(new ToolError("too_large", message, hint));
    return this.exceeded as ToolError;
  }
}
