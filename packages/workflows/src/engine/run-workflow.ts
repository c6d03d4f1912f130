import type { ToolAccess, ToolContext } from "@toolpacks/core";
import { checkScripts } from "../code/check-code.ts";
import { checkInput } from "../definition/check-input.ts";
import { everyStepRun } from "../definition/library.ts";
import { everyStep, type Step, type Workflow } from "../definition/workflow.ts";
import { createJournal, type EndedReport, type Journal } from "../report/journal.ts";
import type { Plan } from "../report/plan.ts";
import type { Beginning, Ending } from "../report/report-writer.ts";
import type { ReportStatus } from "../report/report-kind.ts";
import { describeWait, shownWait, type Wait } from "../report/wait.ts";
import { checkIssueWaits, issueReader } from "./issue-waits.ts";
import { RunBudget } from "./run-budget.ts";
import { accessOf, createScope, type Counts, type Engine, type Run, type Sequence } from "./run.ts";
import { createRunWaits } from "./run-waits.ts";
import { runStep } from "./run-step.ts";
import { runSteps } from "./run-steps.ts";
import { StepDigest, type SucceededStep } from "./step-digest.ts";

/** A request to run a workflow. */
export interface RunRequest extends Omit<Plan, "source"> {
  readonly workflow: Workflow;
  readonly resumes?: Beginning["resumes"];
  /** The steps of the run that this one resumes, by path. */
  readonly earlier?: Run["earlier"];
  /** What the earlier run waited for. */
  readonly waits?: readonly Wait[];
  /** The record of the clock that starts the run. */
  readonly starts?: string | undefined;
}

export interface RunResult extends EndedReport {
  readonly workflow: string;
  readonly status: ReportStatus;
  readonly reason: string | undefined;
  readonly counts: Counts;
  /** Whether a step ran that changes something or asks a model. */
  readonly changed: boolean;
  readonly shown: StepDigest["shown"];
  /** Steps with a result. */
  readonly succeeded: readonly SucceededStep[];
  readonly skipped: StepDigest["skipped"];
  readonly last: Sequence["last"];
  /** Whether the result of the last step is not shown. */
  readonly hidesLast: boolean;
  /** The failure that stopped the run. */
  readonly error: Sequence["error"];
  /** What the run waits for, with secrets masked. */
  readonly waits: readonly Wait[];
}

/**
 * Runs a workflow and writes its report. Resolves also when steps fail.
 *
 * @throws ToolError when the run cannot begin
 */
export async function runWorkflow(engine: Engine, request: RunRequest, context: ToolContext): Promise<RunResult> {
  const { workflow, options, began = Date.now() } = request;
  const input = await checkInput(workflow, request.input);
  await checkSteps(engine, request, accessOf(context));
  const journal = await startJournal(engine, { ...request, input, began }, context);
  const budget = new RunBudget(engine.limits);
  const signal = AbortSignal.any([context.signal, budget.signal]);
  const digest = new StepDigest();
  let changed = false;
  const waits = createRunWaits({ ...request, findIssue: issueReader(engine.store, context) });
  const run: Run = {
    engine,
    budget,
    // Progress is reported per step of the run, not by the tools of its steps.
    caller: { ...context, signal, progress: async () => {} },
    signal,
    dryRun: options.dryRun ?? false,
    readOnly: options.readOnly ?? false,
    beforeChange() {
      changed = true;
      return journal.flush();
    },
    earlier: request.earlier ?? new Map(),
    unknown: new Map(Object.entries(request.resumes?.data.pending ?? {})),
    began,
    waits,
    first: request.first ?? journal.id,
    step: runStep,
    sequence: runSteps,
    journal,
    digest,
  };
  const scope = createScope({ input, onError: options.onError ?? workflow.onError, progress: context.progress });
  const sequence = await runSteps(run, workflow.steps, scope)
    .catch(async (error: unknown) => {
      await journal.end({ status: "failed", counts: {}, reason: "the run ended inside the server" });
      throw error;
    })
    .finally(() => budget.end());
  const { counts, last, error } = sequence;
  const ending = endingOf(run, sequence);
  const { report, unkept } = await journal.end(ending);
  const isWaiting = ending.status === "waiting";
  return {
    report,
    unkept,
    workflow: workflow.name,
    // A run whose report is not kept cannot go on.
    status: isWaiting && unkept !== undefined ? "failed" : ending.status,
    reason: ending.reason,
    waits: isWaiting ? waits.all().map((wait) => shownWait(wait)) : [],
    counts,
    changed,
    shown: digest.shown,
    skipped: digest.skipped,
    succeeded: unkept === undefined ? limitShown(digest.succeeded, workflow.steps, last) : digest.succeeded,
    last,
    hidesLast: workflow.steps.find(({ id }) => id === last?.entry.step)?.show === false,
    error,
  };
}

/** @throws ToolError for steps that would fail for certain */
async function checkSteps({ library }: Engine, { workflow, options }: RunRequest, access: ToolAccess): Promise<void> {
  const steps = await everyStepRun(workflow.steps, library);
  checkIssueWaits(steps, access);
  await checkScripts(steps, { access, readOnly: options.readOnly ?? false });
}

function endingOf({ budget, waits, dryRun }: Run, sequence: Sequence): Ending {
  const { counts, last } = sequence;
  const { exceeded } = budget;
  const status = exceeded === undefined ? statusOf(sequence, dryRun) : "failed";
  const isWaiting = status === "waiting";
  const reason = exceeded?.message ?? (isWaiting ? describeWaits(waits.all()) : reasons[status]);
  return {
    status,
    counts,
    reason,
    last: last?.entry.step,
    waits: isWaiting ? JSON.stringify(waits.all()) : undefined,
  };
}

/** Maximum characters of a shown result that only later steps used. One line about a longer result takes no more. */
const maxPassedLength = 100;

/** Limits the results that other steps used, if all of these succeeded, and those of steps with `show: false`. */
function limitShown(
  succeeded: readonly SucceededStep[],
  steps: readonly Step[],
  last: Sequence["last"],
): readonly SucceededStep[] {
  const done = new Set(succeeded.map(({ entry }) => entry.step));
  const all = everyStep(steps);
  return succeeded.map((one) => {
    const { step } = one.entry;
    const { show, users = [] } = all.find(({ id }) => id === step) ?? {};
    const isPassed = step !== last?.entry.step && users.length > 0 && users.every((id) => done.has(id));
    if (show ?? !isPassed) return one;
    return { ...one, maxShown: show === false ? 0 : maxPassedLength };
  });
}

/**
 * Starts the report of a run. A run that was resumed, or that the clock starts, is claimed on disk before it does anything.
 *
 * @throws ToolError `conflict` when another caller resumed it
 */
async function startJournal(engine: Engine, request: RunRequest, { principal }: ToolContext): Promise<Journal> {
  const { workflow, resumes, waits, starts, inline, input, options, answers, first, began } = request;
  const isUnattended = request.isUnattended === true || starts !== undefined || undefined;
  const { name, source } = workflow;
  const plan: Plan = { source, inline, input, options, answers, first, began, isUnattended };
  const beginning = {
    workflow: name,
    caller: principal,
    plan: JSON.stringify(plan),
    isUnattended,
    starts,
    resumes,
    waits: waits && waits.length > 0 ? JSON.stringify(waits) : undefined,
  };
  const journal = createJournal(engine, beginning, (error) => engine.onBug(error, name));
  if (resumes !== undefined || starts !== undefined) await journal.claim();
  return journal;
}

function describeWaits(waits: readonly Wait[]): string {
  return waits
    .map((wait) => describeWait(wait))
    .join("; ")
    .slice(0, 2_000);
}

const reasons: Partial<Record<ReportStatus, string>> = {
  cancelled: "the caller cancelled it",
  nothing_ran: "no step ran",
};

/** A failed step fails the run if it stopped it: `onError: "continue"` of the step, or of a step around it, makes its failure a soft one. */
function statusOf({ status, counts }: Sequence, dryRun: boolean): ReportStatus {
  if (status === "cancelled" || status === "waiting") return status;
  if (status === "stopped") return "failed";
  const { failed = 0, ok = 0, dry = 0, cached = 0 } = counts;
  if (failed + ok + dry + cached === 0) return "nothing_ran";
  return dryRun ? "dry" : "ok";
}
