import type { Failure, Outcome } from "@toolpacks/core";
import { createModels } from "@toolpacks/models";
import { createLibrary } from "../definition/library.ts";
import type { Step } from "../definition/workflow.ts";
import { textOf } from "../engine/perform-call.ts";
import { createRunBudget } from "../engine/run-budget.ts";
import { createRunWaits } from "../engine/run-waits.ts";
import { runSteps } from "../engine/run-steps.ts";
import { createScope, type Calls, type Run } from "../engine/run.ts";
import type { Template } from "@toolpacks/expressions";
import type { Entry } from "../report/entry.ts";
import type { BatchCall, BatchOptions, BatchResult } from "./batch.ts";

/** A checked call. */
export interface RunnableCall {
  readonly id: string;
  readonly call: BatchCall;
  /** The arguments, if they are a valid template. */
  readonly template?: Template;
  /** Why it cannot run. */
  readonly problem?: Failure;
}

interface RunOptions extends BatchOptions {
  /** Whether none may run. */
  readonly isRefused: boolean;
}

/** Limits of one batch. A call has its own timeout. */
const limits = { maxSteps: 1_000, maxBytes: 134_217_728, maxSeconds: 2_000_000, maxExpressionSeconds: 5 };

/** What happened while a batch ran, by the ids of its calls. */
interface CallLog {
  readonly started: Set<string>;
  readonly outcomes: Map<string, Outcome>;
  readonly entries: Map<string, Entry>;
}

/** Runs calls as the steps of a workflow without a report. */
export async function runBatch(calls: readonly RunnableCall[], options: RunOptions): Promise<readonly BatchResult[]> {
  const record: CallLog = { started: new Set(), outcomes: new Map(), entries: new Map() };
  const referenced = new Set(calls.flatMap(({ template }) => template?.references ?? []));
  await refuseAll(calls, options);
  const runnable = options.isRefused ? [] : calls.filter(({ problem }) => problem === undefined);
  if (runnable.length > 0) await runAll(runnable, { calls, options, record, referenced });
  return calls.map((call) => resultOf(call, { calls, options, record, referenced }));
}

/** Dispatches the calls with a problem, so that observers see them. Their tools do not run. */
async function refuseAll(calls: readonly RunnableCall[], { access, context }: RunOptions): Promise<void> {
  for (const { call, problem } of calls) {
    if (problem === undefined) continue;
    const name = "failure" in call.target ? call.name : call.target.tool.name;
    await access.dispatch({ name, args: call.args, context, refusal: problem });
  }
}

interface Batch {
  readonly calls: readonly RunnableCall[];
  readonly options: RunOptions;
  readonly record: CallLog;
  /** Ids whose results other calls use. */
  readonly referenced: ReadonlySet<string>;
}

async function runAll(runnable: readonly RunnableCall[], batch: Batch): Promise<void> {
  const { options, record } = batch;
  const { access, context, concurrency = 8, strategy } = options;
  const budget = createRunBudget({ ...limits, maxConcurrency: concurrency }, "Split the batch.");
  const signal = AbortSignal.any([context.signal, budget.signal]);
  const run: Run = {
    engine: { library: createLibrary({}), models: createModels({}), onBug },
    budget,
    caller: { ...context, signal, progress: async () => {} },
    access,
    calls: callsOf(batch),
    signal,
    dryRun: false,
    beforeChange: async () => {},
    earlier: async () => undefined,
    waits: createRunWaits(),
    operation: () => undefined,
    leftOut: (step) => missingResult(step, batch) ?? earlierFailure(step, batch),
    sequence: runSteps,
    journal: {
      id: "",
      written: () => undefined,
      flush: async () => {},
      abandon: () => {},
      end: async () => ({ id: "" }),
      async add({ entry }) {
        if (entry.kind !== "tool") return entry;
        record.entries.set(entry.step, entry);
        await options.progress(record.entries.size, runnable.length, entry.target ?? entry.step);
        return entry;
      },
    },
  };
  const steps = runnable.map((call) => toStep(call, strategy === "parallel" ? (options.timeout ?? 60_000) : undefined));
  const all = strategy === "parallel" ? [parallelStep(steps, concurrency)] : steps;
  await runSteps(run, all, { ...createScope(), input: {}, onError: "stop" }).finally(() => budget.end());
}

const onBug = (error: unknown, id: string) => console.error(`toolpacks: call ${id} of a batch failed:`, error);

const plain = { when: undefined, attempts: 1, backoff: 0, fallback: [], onError: undefined, timeout: undefined };

function toStep({ id, call, template }: RunnableCall, timeout: number | undefined): Step {
  if (template === undefined || "failure" in call.target) throw new Error(`the call ${id} was not checked`);
  return {
    ...plain,
    kind: "tool",
    tool: call.target.tool.name,
    params: template,
    id,
    timeout,
    // `leftOut` says which calls do not run after a failure.
    onError: "continue",
    references: template.references,
  };
}

function parallelStep(steps: readonly Step[], concurrency: number): Step {
  return { ...plain, kind: "parallel", id: "", steps, concurrency, references: [] };
}

/** Calls the tools, and records what they answer. Only results that other calls use are kept as values. */
function callsOf({ calls, options, record, referenced }: Batch): Calls {
  const byId = new Map(calls.map(({ id, call }) => [id, call]));
  return {
    refusal: () => undefined,
    async dispatch({ context, ...request }, id) {
      record.started.add(id);
      const isReferenced = referenced.has(id);
      const { more, fields } = byId.get(id) ?? {};
      const outcome = await options.access.dispatch({
        ...request,
        args: { ...more, ...(request.args as object) },
        context: { ...context, ...(isReferenced && { resultMode: "both" as const }), ...(fields && { fields }) },
      });
      // A call that was stopped has its result already.
      if (!record.entries.has(id)) record.outcomes.set(id, outcome);
      if (!outcome.ok) return outcome;
      const value = outcome.fullValue ?? outcome.value;
      if (!isReferenced) return { ok: true, text: "", value: {} };
      return { ...outcome, ...(value && { value }) };
    },
  };
}

/** Why a step does not run: it needs the result of a call that has none. */
function missingResult({ references }: Step, { calls, record }: Batch): string | undefined {
  const id = references.find((one) => {
    const status = record.entries.get(one)?.status;
    return status !== undefined ? status !== "ok" : calls.some((call) => call.id === one && call.problem !== undefined);
  });
  return id === undefined ? undefined : `it needs the result of ${id}, which has none`;
}

/** Why a step that may change something does not run: an earlier call has failed. The others only read, and run. */
function earlierFailure({ id }: Step, { calls, options, record }: Batch): string | undefined {
  const at = calls.findIndex((one) => one.id === id);
  const target = calls[at]?.call.target;
  const mutates = target !== undefined && "tool" in target && target.tool.mutates;
  if (!mutates || options.strategy === "parallel") return undefined;
  const failed = calls
    .slice(0, at)
    .find((one) => record.entries.get(one.id)?.status === "failed" && one.call.continueOnFailure !== true);
  return failed === undefined ? undefined : `${failed.id} failed`;
}

function resultOf({ id, problem }: RunnableCall, { calls, options, record, referenced }: Batch): BatchResult {
  if (problem !== undefined) return { id, status: "failed", ...failureFields(problem) };
  const entry = record.entries.get(id);
  if (entry === undefined) {
    const wrong = calls.find((call) => call.problem !== undefined);
    return {
      id,
      status: "not_run",
      reason: wrong === undefined ? "the batch ended" : `${wrong.id} is wrong, so none ran`,
    };
  }
  const outcome = record.outcomes.get(id);
  if (entry.status === "ok" && outcome?.ok === true) {
    const complete = outcome.fullValue ?? outcome.value ?? { text: textOf(outcome) };
    return { id, status: "succeeded", outcome, ...(referenced.has(id) && { referenced: complete }) };
  }
  const answered = outcome === undefined ? {} : { outcome };
  // A call that has not reached its tool has changed nothing.
  const status = record.started.has(id) ? "failed" : "not_run";
  if (entry.error !== undefined) return { id, status, ...answered, ...failureFields(entry.error) };
  const reason = options.context.signal.aborted ? "the batch was cancelled" : (entry.reason ?? "it did not run");
  return { id, status, ...answered, reason: reason.replace(/^step /, "") };
}

function failureFields({
  code,
  message,
  hint,
}: NonNullable<Entry["error"]>): Pick<BatchResult, "code" | "reason" | "hint"> {
  return { code, reason: `${code}: ${message}`, ...(hint !== undefined && { hint }) };
}
