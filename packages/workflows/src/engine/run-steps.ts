import type { Step } from "../definition/workflow.ts";
import { yieldToEventLoop } from "@toolpacks/expressions";
import type { Entry } from "../report/entry.ts";
import { abortError } from "./with-timeout.ts";
import { padded } from "./perform-composite.ts";
import {
  addCounts,
  notRun,
  type Counts,
  type Last,
  type Run,
  type Scope,
  type Sequence,
  type StepResult,
} from "./run.ts";
import { runStep } from "./run-step.ts";

/** Runs steps one after another and writes an entry for each. */
export async function runSteps(run: Run, steps: readonly Step[], scope: Scope): Promise<Sequence> {
  let counts: Counts = {};
  let last: Last | undefined;
  let stop: Stop | undefined;
  for (const [at, step] of steps.entries()) {
    await yieldToEventLoop();
    const order = `${scope.order}${padded(at)}`;
    run.budget.takeStep();
    if (run.signal.aborted) stop ??= stopped(run.signal);
    let changes = false;
    // A step that fails, or that is not awaited, may have changed something.
    const beforeChange = () => {
      changes = true;
      return run.beforeChange();
    };
    const outcome =
      stop === undefined
        ? await runStep({ ...run, beforeChange }, step, partOf(scope, { at, of: steps.length, order }))
        : notRun({ step: `${scope.path}${step.id}`, kind: step.kind }, "skipped", stop.reason);
    const entry = await run.journal.add({ entry: outcome.entry, order, json: outcome.json }, changes);
    run.digest.add(entry, outcome);
    if (outcome.result !== undefined) last = { entry, value: outcome.result.value };
    remember(scope, step, outcome);
    counts = addCounts(counts, outcome.counts);
    if (entry.status === "waiting") return { status: "waiting", counts, last, error: undefined };
    if (entry.status === "failed" && (step.onError ?? scope.onError) === "stop")
      stop ??= run.signal.aborted ? stopped(run.signal) : { reason: `step ${step.id} failed`, error: entry.error };
    await scope.progress?.(at + 1, steps.length, `${entry.step}: ${entry.status}`);
  }
  const status = run.signal.aborted ? "cancelled" : stop === undefined ? "done" : "stopped";
  return { status, counts, last, error: stop?.error };
}

/** The scope of a step, whose inner steps are fractions in the progress of its sequence. */
function partOf(
  scope: Scope,
  { at, of, order }: { readonly at: number; readonly of: number; readonly order: string },
): Scope {
  // The end of the step itself is one more than those inside it, so that progress always grows.
  const progress: Scope["progress"] = async (done, total = 1, message) =>
    scope.progress?.(at + done / (total + 1), of, message);
  return { ...scope, order, progress };
}

/** Why the remaining steps do not run. */
interface Stop {
  readonly reason: string;
  readonly error: Entry["error"];
}

function stopped(signal: AbortSignal): Stop {
  const { code, message, hint } = abortError(signal);
  return { reason: message, error: { code, message, hint } };
}

function remember({ steps, status, dry }: Scope, { id }: Step, { entry, result }: StepResult): void {
  status[id] = entry.status;
  if (result !== undefined) steps[id] = result.value;
  if (entry.status === "dry") dry.add(id);
}
