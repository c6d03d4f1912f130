import { ToolError } from "@toolpacks/core";
import pLimit from "p-limit";
import type { StepOf } from "../definition/workflow.ts";
import { checkInput } from "../definition/check-input.ts";
import { summarize, type ActionResult } from "./action-result.ts";
import { resolve } from "./evaluate.ts";
import { jsonOfResult } from "@toolpacks/expressions";
import { abortError } from "./with-timeout.ts";
import { addCounts, createScope, inner, type Run, type Scope, type Sequence } from "./run.ts";

/** Runs another workflow as a step. Its steps see only its input and each other. */
export async function runWorkflowStep(run: Run, step: StepOf<"workflow">, scope: Scope): Promise<ActionResult> {
  const workflow = await run.engine.library.find(step.workflow);
  const input = await checkInput(workflow, await resolve(run, step.input, scope));
  const path = `${scope.path}${step.id}/`;
  const within = createScope({ input, path, order: `${scope.order}.`, onError: workflow.onError });
  const sequence = await run.sequence(run, workflow.steps, within);
  return combineSequences([sequence], sequence.last?.value ?? null, sequence.last?.entry.summary ?? "no result");
}

/** Runs steps in parallel. The result holds their results by id; later steps see them as well. */
export async function runParallel(run: Run, step: StepOf<"parallel">, scope: Scope): Promise<ActionResult> {
  const limit = pLimit(step.concurrency);
  let done = 0;
  // Of each step inside, only the end counts.
  const progress: Scope["progress"] = async (part, _total, message) =>
    part < 1 ? undefined : scope.progress?.((done += 1), step.steps.length, message);
  const scopes = step.steps.map((_, at) => inner(scope, { order: `${scope.order}.${padded(at)}.`, progress }));
  const sequences = await Promise.all(
    step.steps.map((one, at) => limit(async () => run.sequence(run, [one], scopes[at] ?? scope))),
  );
  for (const from of scopes) {
    Object.assign(scope.steps, from.steps);
    Object.assign(scope.status, from.status);
    for (const id of from.dry) scope.dry.add(id);
  }
  const results = step.steps.flatMap(({ id }) =>
    Object.hasOwn(scope.steps, id) ? [[id, scope.steps[id]] as const] : [],
  );
  const failed = sequences.filter(({ status }) => status !== "done").length;
  const summary = `${step.steps.length - failed} of ${step.steps.length}`;
  return combineSequences(sequences, Object.fromEntries(results), summary);
}

const maxItems = 10_000;

/** Runs steps for each item. The result is a list with the last step's result of each item, or null. */
export async function runForEach(run: Run, step: StepOf<"forEach">, scope: Scope): Promise<ActionResult> {
  const given = await resolve(run, step.items, scope);
  const items = jsonOfResult(given) ?? given;
  if (!Array.isArray(items))
    throw new ToolError("invalid_input", `forEach: expected a list, received ${kindOfValue(items)}`);
  if (items.length > maxItems) {
    const problem = `forEach: ${items.length} items, more than ${maxItems}`;
    throw new ToolError("too_large", problem, "Filter or cut the list first.");
  }
  const limit = pLimit(step.concurrency);
  let stopped = false;
  let finished = 0;
  const sequences = await Promise.all(
    items.map((item: unknown, at) =>
      limit(async (): Promise<Sequence | undefined> => {
        if (stopped || run.signal.aborted) return undefined;
        const within = inner(scope, {
          variables: { ...scope.variables, [step.as]: item, index: at },
          path: `${scope.path}${step.id}/${at}/`,
          order: `${scope.order}.${padded(at)}.`,
        });
        const sequence = await run.sequence(run, step.steps, within);
        if (sequence.status !== "done") stopped = true;
        await scope.progress?.((finished += 1), items.length, `${scope.path}${step.id}/${at}: ${sequence.status}`);
        return sequence;
      }),
    ),
  );
  const ran = sequences.filter((one) => one !== undefined);
  const values = sequences.map((one) => one?.last?.value ?? null);
  const done = ran.filter(({ status }) => status === "done").length;
  const result = combineSequences(ran, values, `${done} of ${items.length} items`);
  if (!run.signal.aborted || result.status !== "ok") return result;
  return { status: "failed", failure: abortError(run.signal), counts: result.counts };
}

/** Combines the results of several sequences. The first failure that stopped a sequence is the step's failure. */
function combineSequences(sequences: readonly Sequence[], value: unknown, summary: string): ActionResult {
  const counts = sequences.map((one) => one.counts).reduce(addCounts, {});
  const stopped = sequences.find(({ status }) => status === "stopped" || status === "cancelled");
  if (stopped === undefined && sequences.some(({ status }) => status === "waiting"))
    return { status: "waiting", reason: "a step inside it waits", counts };
  if (stopped === undefined) return { status: "ok", value, summary: summarize(summary), counts };
  const { code = "internal", message = "a step inside it did not run", hint } = stopped.error ?? {};
  return { status: "failed", failure: { code, message, hint }, counts };
}

/** Five digits, so that places sort as text. */
export function padded(place: number): string {
  return String(place).padStart(5, "0");
}

function kindOfValue(value: unknown): string {
  return value === null ? "null" : typeof value;
}
