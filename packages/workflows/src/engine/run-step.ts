import { inSpan, ToolError, type Failure } from "@toolpacks/core";
import type { Step } from "../definition/workflow.ts";
import { reportedError, type EarlierStep, type Entry } from "../report/entry.ts";
import { toKeptJson } from "../report/kept-result.ts";
import type { ActionResult } from "./action-result.ts";
import { retryAction } from "./retry.ts";
import { evaluate } from "./evaluate.ts";
import { withStepTimeout } from "./with-timeout.ts";
import { callModel, callTool, runTyped } from "./perform-call.ts";
import { makeIssues } from "./perform-issues.ts";
import { askPerson, waitFor } from "./perform-wait.ts";
import { runForEach, runParallel, runWorkflowStep } from "./perform-composite.ts";
import { addCounts, inner, type Counts, type Run, type Scope } from "./run.ts";

/** A finished step: its report entry, and the result for later steps. */
export interface StepResult {
  readonly entry: Entry;
  /** Present when the step has a result. */
  readonly result?: { readonly value: unknown };
  /** The result that the journal writes. Absent when it is already kept. */
  readonly json?: string;
  readonly counts: Counts;
  readonly durable: boolean;
}

/** The place of a step. */
interface Place {
  readonly scope: Scope;
  readonly order: string;
}

/** Runs one step. A failure is a result; it rejects only when the engine cannot continue. */
export async function runStep(run: Run, step: Step, { scope, order }: Place): Promise<StepResult> {
  const path = `${scope.path}${step.id}`;
  const about = { step: path, kind: step.kind, ...targetOf(step) };
  const earlier = await run.earlier(path);
  if (earlier !== undefined && !runsInside(step, earlier.entry)) {
    const outcome = await reuseStep(earlier);
    run.budget.keep(outcome.entry.size ?? 0);
    return outcome;
  }
  const instead = run.leftOut.get(step);
  if (instead !== undefined) return notRun(about, "skipped", { reason: instead });
  if (step.references.some((id) => scope.dry.has(id)))
    return notRun(about, "dry", { reason: "it needs the result of a step that a dry run does not run" });
  const started = performance.now();
  const skip = await condition(run, step, scope);
  if (skip === false) return notRun(about, "skipped", { reason: "its condition is false" });
  let durable = false;
  const beforeChange = () => {
    // An action that throws, or that is not awaited, may have changed something.
    durable = true;
    return run.beforeChange();
  };
  const hasFailed = run.waits.isInFallback(path);
  const { result, attempts } =
    skip === true && hasFailed
      ? { result: failure(failedBefore), attempts: 0 }
      : skip === true
        ? await retryAction({ ...step, signal: run.signal }, () =>
            attempt({ ...run, beforeChange }, step, { scope, order }),
          )
        : { result: failure(skip), attempts: 0 };
  const outcome = toStepResult(run, about, { result, attempts, durable, durationMs: elapsed(started) });
  if (outcome.entry.status !== "failed" || step.fallback.length === 0 || run.signal.aborted) return outcome;
  return runFallback(run, step, { scope, order, failed: outcome, started });
}

/** Whether the steps inside a finished step are gone through again: one of them failed, or later steps need their results. */
function runsInside({ kind }: Step, { incomplete, rescued }: Entry): boolean {
  return incomplete === true || (kind === "parallel" && rescued !== true);
}

/** The failure of a step whose fallback waited in an earlier run. */
const failedBefore: Failure = { code: "unavailable", message: "it failed before its fallback waited" };

type About = Pick<Entry, "step" | "kind" | "target">;

function targetOf(step: Step): Pick<Entry, "target"> {
  switch (step.kind) {
    case "tool":
      return { target: step.tool };
    case "step":
      return { target: step.step };
    case "model":
      return { target: "task" in step.serves ? step.serves.task : step.serves.model };
    case "workflow":
      return { target: step.workflow };
    default:
      return {};
  }
}

/** Evaluates the step's condition. A failure says why it cannot be evaluated. */
async function condition(run: Run, step: Step, scope: Scope): Promise<boolean | Failure> {
  if (step.when === undefined) return true;
  try {
    const value = await evaluate(run, step.when, scope);
    if (typeof value === "boolean") return value;
    const received = typeof value === "object" ? "a list or an object" : (JSON.stringify(value)?.slice(0, 100) ?? "");
    return { code: "invalid_input", message: `when: expected true or false, received ${received}` };
  } catch (error) {
    return failureOf(error, { prefix: "when: " });
  }
}

async function attempt(run: Run, step: Step, { scope, order }: Place): Promise<ActionResult> {
  if (step.kind === "ask" || step.kind === "wait" || step.kind === "issue")
    return perform(run, step, { scope, order })(run.signal);
  const isCall = step.kind === "tool" || step.kind === "model" || step.kind === "step";
  const limits = { signal: run.signal, timeout: step.timeout, awaitsWork: !isCall };
  const begin = () => withStepTimeout(limits, perform(run, step, { scope, order }));
  return isCall ? run.budget.limitConcurrency(begin) : begin();
}

/** Performs a step in a span of its own. */
function perform(run: Run, step: Step, place: Place): (signal: AbortSignal) => Promise<ActionResult> {
  const span = {
    name: `workflow_step ${step.kind}`,
    kind: "internal",
    attributes: { "toolpacks.step": step.id },
  } as const;
  const failureOf = (result: ActionResult) => (result.status === "failed" ? result.failure.code : undefined);
  return (signal) =>
    inSpan({ ...span, failureOf, context: run.caller }, (caller) =>
      performWithin({ ...run, signal, caller: { ...caller, signal } }, step, place),
    );
}

async function performWithin(within: Run, step: Step, { scope, order }: Place): Promise<ActionResult> {
  const { signal } = within;
  try {
    switch (step.kind) {
      case "tool":
        return await callTool(within, step, scope);
      case "step":
        return await runTyped(within, step, scope);
      case "model":
        return await callModel(within, step, scope);
      case "workflow":
        return await runWorkflowStep(within, { step, scope, order });
      case "parallel":
        return await runParallel(within, { step, scope, order });
      case "ask":
        return await askPerson(within, step, scope);
      case "wait":
        return await waitFor(within, step, scope);
      case "issue":
        return await makeIssues(within, step, scope);
      default:
        return await runForEach(within, { step, scope, order });
    }
  } catch (error) {
    return failure(failureOf(error, { onBug: signal.aborted ? () => {} : within.engine.onBug, name: step.id }));
  }
}

interface Boundary {
  readonly prefix?: string;
  /** Called with errors that are not meant for the caller. */
  readonly onBug?: Run["engine"]["onBug"];
  readonly name?: string;
}

function failureOf(error: unknown, { prefix = "", onBug, name = "" }: Boundary = {}): Failure {
  if (!ToolError.is(error)) {
    onBug?.(error, name);
    return {
      code: "internal",
      message: `${prefix}the step failed inside the server`,
      hint: "The server's log has the cause.",
    };
  }
  const { code, message, hint } = error;
  return { code, message: `${prefix}${message}`, hint };
}

function failure(reason: Failure): ActionResult {
  return { status: "failed", failure: reason };
}

/** The result of all attempts. */
interface ActionOutcome {
  readonly result: ActionResult;
  readonly attempts: number;
  /** Whether an attempt may have changed something. */
  readonly durable: boolean;
  readonly durationMs: number;
}

function toStepResult(run: Run, about: About, { result, attempts, durable, durationMs }: ActionOutcome): StepResult {
  const counts = result.inside?.counts ?? {};
  const finish = (
    entry: Omit<Entry, "durationMs" | "attempts" | keyof About>,
  ): Omit<StepResult, "result" | "json"> => ({
    entry: { ...about, ...entry, durationMs, attempts },
    counts: addCounts(counts, { [entry.status]: 1 }),
    durable: durable || (result.inside?.durable ?? false),
  });
  if (result.status === "failed") return finish({ status: "failed", error: reportedError(result.failure) });
  if (result.status === "waiting") return finish({ status: "waiting", reason: result.reason });
  try {
    const kept = toKeptJson(result.status === "dry" ? result.params : result.value);
    const exceeded = run.budget.keep(kept.length);
    if (exceeded !== undefined) return finish({ status: "failed", error: reportedError(exceeded) });
    if (result.status === "dry") return finish({ status: "dry", params: result.params });
    const json = kept;
    return {
      ...finish({
        status: "ok",
        summary: result.summary,
        ...result.asked,
        ...((counts.failed ?? 0) > 0 && { incomplete: true }),
      }),
      json,
      result: { value: result.value },
    };
  } catch (error) {
    return finish({ status: "failed", error: reportedError(failureOf(error)) });
  }
}

interface Failed extends Place {
  readonly failed: StepResult;
  readonly started: number;
}

/** Runs the fallback's steps. If they succeed, the step succeeds with the result of the last one. */
async function runFallback(run: Run, step: Step, { scope, order, failed, started }: Failed): Promise<StepResult> {
  const within = inner(scope, { path: `${scope.path}${step.id}/fallback/`, order: `${order}.f`, onError: "stop" });
  const { status, last, counts, durable } = await run.sequence(run, step.fallback, within);
  const both = { counts: addCounts(failed.counts, counts), durable: failed.durable || durable };
  const { entry } = failed;
  if (status === "waiting") {
    const { error: _error, ...rest } = entry;
    const waiting: Entry = { ...rest, status: "waiting", reason: "its fallback waits" };
    return { entry: waiting, counts: { ...counts, waiting: (counts.waiting ?? 0) + 1 }, durable: both.durable };
  }
  if (status !== "done") return { ...failed, ...both };
  const isDry = (counts.dry ?? 0) > 0;
  const summary = last?.entry.summary;
  const rescued: Entry = {
    ...entry,
    status: isDry ? "dry" : "ok",
    durationMs: elapsed(started),
    rescued: true,
    ...(summary !== undefined && { summary }),
  };
  const value = last?.value ?? null;
  // The fallback's steps have their own entries, and the step itself did not fail.
  const outcome = { entry: rescued, counts: { [rescued.status]: 1 }, durable: both.durable };
  if (isDry) return outcome;
  const json = toKeptJson(value);
  run.budget.keep(json.length);
  return { ...outcome, json, result: { value } };
}

async function reuseStep({ entry, result }: EarlierStep): Promise<StepResult> {
  const value = await result();
  const kept: Entry = { ...entry, status: "cached" };
  const json = entry.handle === undefined ? { json: toKeptJson(value) } : {};
  return { entry: kept, ...json, result: { value }, counts: { cached: 1 }, durable: false };
}

/** The result of a step that does not run. */
export function notRun(about: About, status: "skipped" | "dry", more: Pick<Entry, "reason">): StepResult {
  const entry: Entry = { ...about, status, durationMs: 0, attempts: 0, ...more };
  return { entry, counts: { [status]: 1 }, durable: false };
}

function elapsed(started: number): number {
  return Math.round((performance.now() - started) * 100) / 100;
}
