import { setTimeout as wait } from "node:timers/promises";
import { inSpan, ToolError, type ErrorCode, type Failure } from "@toolpacks/core";
import type { Step, StepOf } from "../definition/workflow.ts";
import { reportedError, type EarlierStep, type Entry } from "../report/entry.ts";
import { toKeptJson } from "../report/kept-result.ts";
import type { ActionResult } from "./action-result.ts";
import { evaluate } from "./evaluate.ts";
import { abortError, withStepTimeout } from "./with-timeout.ts";
import { callModel, callTool, runTyped } from "./perform-call.ts";
import { runCode } from "../code/run-code.ts";
import { makeIssues } from "./perform-issues.ts";
import { askPerson, waitFor } from "./perform-wait.ts";
import { runForEach, runParallel, runWorkflowStep } from "./perform-composite.ts";
import { addCounts, inner, notRun, type Run, type Scope, type StepResult } from "./run.ts";

/** Runs one step. A failure is a result; it rejects only when the engine cannot continue. */
export async function runStep(run: Run, step: Step, scope: Scope): Promise<StepResult> {
  const path = `${scope.path}${step.id}`;
  const about = { step: path, kind: step.kind, target: targetOf(step) };
  const earlier = run.earlier.get(path);
  if (earlier !== undefined && isReused(step, earlier.entry)) return reuseStep(run, earlier);
  if (step.references.some((id) => scope.dry.has(id)))
    return notRun(about, "dry", "it needs the result of a step that a dry run does not run");
  const started = performance.now();
  const condition = await conditionOf(run, step, scope);
  if (condition === false) return notRun(about, "skipped", "its condition is false");
  const { result, attempts } =
    condition === true ? await attemptAll(run, step, scope) : { result: failed(condition), attempts: 0 };
  const outcome = toStepResult(run, { ...about, attempts, durationMs: elapsed(started) }, result);
  if (outcome.entry.status !== "failed" || step.fallback.length === 0 || run.signal.aborted) return outcome;
  return runFallback(run, step, { scope, before: outcome });
}

/** Whether a step of an earlier run is not run again. The steps inside it are gone through if one failed, or later steps need their results. */
function isReused({ kind }: Step, { status, incomplete, rescued }: Entry): boolean {
  if (status !== "ok" && status !== "cached") return false;
  return incomplete !== true && (kind !== "parallel" || rescued === true);
}

function targetOf(step: Step): string | undefined {
  switch (step.kind) {
    case "tool":
      return step.tool;
    case "step":
      return step.step;
    case "model":
      return "task" in step.serves ? step.serves.task : step.serves.model;
    case "workflow":
      return step.workflow;
    default:
      return undefined;
  }
}

/** Evaluates the step's condition. A failure says why it cannot be evaluated. */
async function conditionOf(run: Run, step: Step, scope: Scope): Promise<boolean | Failure> {
  if (step.when === undefined) return true;
  try {
    const value = await evaluate(run, step.when, scope);
    if (typeof value === "boolean") return value;
    const received = typeof value === "object" ? "a list or an object" : (JSON.stringify(value)?.slice(0, 100) ?? "");
    return { code: "invalid_input", message: `when: expected true or false, received ${received}` };
  } catch (error) {
    const { code, message, hint } = failureOf(error);
    return { code, message: `when: ${message}`, hint };
  }
}

/** Error codes that are not retried: the next attempt would fail the same way. */
const final: ReadonlySet<ErrorCode> = new Set(["invalid_input", "not_found", "denied", "too_large", "cancelled"]);

/** Performs a step until it succeeds, fails with a code that is not retried, or has no attempts left. */
async function attemptAll(
  run: Run,
  step: Step,
  scope: Scope,
): Promise<{ readonly result: ActionResult; readonly attempts: number }> {
  if (run.waits.isInFallback(`${scope.path}${step.id}`))
    return { result: failed({ code: "unavailable", message: "it failed before its fallback waited" }), attempts: 0 };
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt(run, step, scope);
    const isFinal = result.status !== "failed" || final.has(result.failure.code);
    if (isFinal || attempts === step.attempts) return { result, attempts };
    await wait(step.backoff * 2 ** (attempts - 1), undefined, { signal: run.signal }).catch(() => {});
    if (run.signal.aborted) return { result: failed(abortError(run.signal)), attempts };
  }
}

async function attempt(run: Run, step: Step, scope: Scope): Promise<ActionResult> {
  const work = (signal: AbortSignal) => perform({ ...run, signal }, step, scope);
  if (step.kind === "ask" || step.kind === "wait" || step.kind === "issue") return work(run.signal);
  const isCall = step.kind === "tool" || step.kind === "model" || step.kind === "step";
  const begin = () => withStepTimeout({ signal: run.signal, timeout: step.timeout, awaitsWork: !isCall }, work);
  return isCall ? run.budget.limitConcurrency(begin) : begin();
}

type Perform<Kind extends Step["kind"]> = (run: Run, step: StepOf<Kind>, scope: Scope) => Promise<ActionResult>;

const actions: { readonly [Kind in Step["kind"]]: Perform<Kind> } = {
  tool: callTool,
  step: runTyped,
  model: callModel,
  workflow: runWorkflowStep,
  parallel: runParallel,
  forEach: runForEach,
  ask: askPerson,
  wait: waitFor,
  issue: makeIssues,
  code: runCode,
};

/** Performs a step in a span of its own. */
function perform(run: Run, step: Step, scope: Scope): Promise<ActionResult> {
  const { signal, caller: context, engine } = run;
  const span = {
    name: `workflow_step ${step.kind}`,
    kind: "internal",
    attributes: { "toolpacks.step": step.id },
    failureOf: (result: ActionResult) => (result.status === "failed" ? result.failure.code : undefined),
    context,
  } as const;
  const action = actions[step.kind] as Perform<Step["kind"]>;
  return inSpan(span, (caller) =>
    action({ ...run, caller: { ...caller, signal } }, step, scope).catch((error: unknown) => {
      if (!ToolError.is(error) && !signal.aborted) engine.onBug(error, step.id);
      return failed(failureOf(error));
    }),
  );
}

function failureOf(error: unknown): Failure {
  if (ToolError.is(error)) return error;
  const hint = "The server's log has the cause.";
  return { code: "internal", message: "the step failed inside the server", hint };
}

function failed(failure: Failure): ActionResult {
  return { status: "failed", failure };
}

type About = Pick<Entry, "step" | "kind" | "target" | "attempts" | "durationMs">;

function toStepResult(run: Run, about: About, result: ActionResult): StepResult {
  const { counts = {}, printed } = result;
  const finish = (entry: Omit<Entry, keyof About>): StepResult => ({
    entry: { ...about, ...entry, ...(printed && { printed }) },
    counts: addCounts(counts, { [entry.status]: 1 }),
  });
  if (result.status === "failed") return finish({ status: "failed", error: reportedError(result.failure) });
  if (result.status === "waiting") return finish({ status: "waiting", reason: result.reason });
  try {
    const json = toKeptJson(result.status === "dry" ? result.params : result.value);
    const exceeded = run.budget.keep(json.length);
    if (exceeded !== undefined) throw exceeded;
    if (result.status === "dry") return finish({ status: "dry", params: result.params, reason: result.reason });
    const { summary, asked, value } = result;
    const incomplete = (counts.failed ?? 0) > 0 || undefined;
    return { ...finish({ status: "ok", summary, ...asked, incomplete }), json, result: { value } };
  } catch (error) {
    return finish({ status: "failed", error: reportedError(failureOf(error)) });
  }
}

/** Runs the fallback's steps. If they succeed, the step succeeds with the result of the last one. */
async function runFallback(
  run: Run,
  step: Step,
  { scope, before }: { readonly scope: Scope; readonly before: StepResult },
): Promise<StepResult> {
  const started = performance.now() - before.entry.durationMs;
  const path = `${scope.path}${step.id}/fallback/`;
  const within = inner(scope, { path, order: `${scope.order}.f`, onError: "stop" });
  const { status, last, counts } = await run.sequence(run, step.fallback, within);
  const { error: _error, ...entry } = before.entry;
  if (status === "waiting") {
    const waiting: Entry = { ...entry, status: "waiting", reason: "its fallback waits" };
    return { entry: waiting, counts: addCounts(counts, { waiting: 1 }) };
  }
  if (status !== "done") return { ...before, counts: addCounts(before.counts, counts) };
  const isDry = (counts.dry ?? 0) > 0;
  const rescued: Entry = {
    ...before.entry,
    status: isDry ? "dry" : "ok",
    durationMs: elapsed(started),
    rescued: true,
    summary: last?.entry.summary,
  };
  const value = last?.value ?? null;
  // The fallback's steps have their own entries, and the step itself did not fail.
  const outcome = { entry: rescued, counts: { [rescued.status]: 1 } };
  if (isDry) return outcome;
  const json = toKeptJson(value);
  run.budget.keep(json.length);
  return { ...outcome, json, result: { value } };
}

async function reuseStep({ budget }: Run, { entry, result }: EarlierStep): Promise<StepResult> {
  const value = await result();
  budget.keep(entry.size ?? 0);
  const json = entry.handle === undefined ? toKeptJson(value) : undefined;
  return { entry: { ...entry, status: "cached" }, json, result: { value }, counts: { cached: 1 } };
}

function elapsed(started: number): number {
  return Math.round((performance.now() - started) * 100) / 100;
}
