import { createHash } from "node:crypto";
import { canonicalJson, ToolError } from "@toolpacks/core";
import { jsonOfResult, textOfResult } from "@toolpacks/expressions";
import { addCounts, type Counts, type Run, type Scope } from "../engine/run.ts";
import { notRun, runStep, type StepResult } from "../engine/run-step.ts";
import type { EarlierStep, Entry } from "../report/entry.ts";
import { toKeptJson } from "../report/kept-result.ts";
import { askStep, toolStep, type CallStep } from "./call-steps.ts";
import { createKeptTexts } from "./kept-texts.ts";
import type { CodeRequest, Delivery } from "./protocol.ts";

/** JSON of more characters is a handle for the script. */
const maxValue = 1_000_000;

/** The call of a script that ended. */
interface Ended {
  /** By the clock of the script in ms. */
  readonly ended: number;
  readonly delivery: Promise<Delivery>;
}

type Call = NonNullable<Entry["call"]>;

/**
 * The calls of a script. Calls that an earlier run finished end as they did then, in the same order. The others run side by side, and end one by one.
 *
 * @param prefix of the paths of the calls: `code/`
 */
export async function createCalls(run: Run, prefix: string, scope: Scope) {
  const earlier = await run.earlierCalls(prefix);
  const texts = createKeptTexts();
  const known = [...earlier.values()].flatMap(({ entry }) => (entry.call === undefined ? [] : [entry.call]));
  const lastMade = Math.max(-1, ...known.map(({ made }) => made));
  /** Since the run began, in ms: the last end of a call, and the last end that the script has seen. */
  let [lastEnd, seen] = [Math.max(0, ...known.map(({ ended }) => ended)), 0];
  let counts: Counts = {};
  let [open, waiting] = [0, 0];
  let wake = () => {};
  const [replayed, ready, reads]: [Ended[], Ended[], Delivery[]] = [[], [], []];

  /** Whether the script gets the earlier end of a call again. A failed call is made again if no other call was made after it. */
  function isReplayed({ entry: { step, status, call } }: EarlierStep): boolean {
    if (status === "ok" || status === "cached") return true;
    if (status !== "failed" || call === undefined) return false;
    return call.ended <= lastMade || [...run.unknown.keys()].some((path) => isAfter(path, step, prefix));
  }

  async function finish(
    { id, kind }: CodeRequest,
    outcome: StepResult,
    { call, isChange }: { call: Call; isChange: boolean },
  ) {
    const entry = { ...outcome.entry, call };
    const order = `${scope.order}.${String(id).padStart(7, "0")}`;
    const added = await run.journal.add({ entry, order, json: outcome.json }, isChange && "soon");
    run.digest.add(added, outcome);
    counts = addCounts(counts, outcome.counts);
    await scope.progress?.(id, id + 1, `${entry.step}: ${entry.status}`);
    return deliveryOf({ id, isOpened: kind === "open" }, { ...outcome, entry: added }, texts);
  }

  async function start(request: CodeRequest): Promise<void> {
    const { id, kind } = request;
    const step = kind === "ask" ? askStep(request) : await toolStep(run, request);
    const path = `${prefix}${id}`;
    const args = createHash("sha256")
      .update(canonicalJson(JSON.parse(request.json)))
      .digest("base64url")
      .slice(0, 22);
    const before = earlier.get(path);
    if (before?.entry.call !== undefined) checkSame(before.entry, { ...step, args });
    run.budget.takeStep();
    const made = seen;
    if (before?.entry.call !== undefined && isReplayed(before)) {
      const { call } = before.entry;
      const again =
        before.entry.status === "failed" ? failedAgain(before.entry) : runStep(run, step, within(scope, prefix));
      replayed.push({
        ended: call.ended,
        delivery: Promise.resolve(again).then((outcome) => finish(request, outcome, { call, isChange: false })),
      });
      replayed.sort((one, other) => one.ended - other.ended);
      return;
    }
    let isChange = false;
    const beforeChange = () => {
      isChange = true;
      if (step.kind === "tool") run.journal.begin(path);
      return run.beforeChange();
    };
    open += 1;
    const ended = performCall({ ...run, beforeChange }, step, { scope: within(scope, prefix), path }).then(
      (outcome) => {
        open -= 1;
        lastEnd = Math.max(lastEnd + 0.001, Date.now() - run.began);
        const call = { args, made, ended: lastEnd };
        const delivery = finish(request, outcome, { call, isChange });
        if (outcome.entry.status !== "waiting") ready.push({ ended: lastEnd, delivery });
        else waiting += 1;
        delivery.catch(() => {});
        wake();
        return delivery;
      },
    );
    ended.catch(() => wake());
    working.add(ended);
    void ended.finally(() => working.delete(ended)).catch(() => {});
  }
  const working = new Set<Promise<Delivery>>();

  return {
    /** The time of the script's clock, in ms. */
    now: () => run.began + seen,
    counts: () => counts,
    hasWaiting: () => waiting > 0,
    /** @throws ToolError `conflict` for a call that differs from that of the earlier run */
    async start(requests: readonly CodeRequest[]): Promise<void> {
      for (const request of requests) {
        if (request.kind === "read") reads.push(texts.answer(request.id, request.json));
        else await start(request);
      }
    },
    /** What the script gets next. Undefined if no call will end. */
    async next(): Promise<readonly Delivery[] | undefined> {
      if (reads.length > 0) return reads.splice(0);
      while (replayed.length === 0 && ready.length === 0) {
        if (open === 0) return undefined;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const { ended, delivery } = (replayed.shift() ?? ready.shift()) as Ended;
      seen = ended;
      return [await delivery];
    },
    /** Resolves when all calls have ended. */
    async settled(): Promise<void> {
      await Promise.allSettled([...working, ...replayed.map(({ delivery }) => delivery)]);
    },
  };
}

function within(scope: Scope, path: string): Scope {
  const { progress: _progress, ...rest } = scope;
  return { ...rest, path, dry: new Set() };
}

/** Whether a path is that of a call of the same script with a higher number. */
function isAfter(path: string, step: string, prefix: string): boolean {
  return path.startsWith(prefix) && Number(path.slice(prefix.length)) > Number(step.slice(prefix.length));
}

function failedAgain(entry: Entry): StepResult {
  return { entry, counts: { failed: 1 } };
}

/** Performs a call. A call of which nobody knows whether it did anything is asked about first. */
async function performCall(
  run: Run,
  step: CallStep,
  { scope, path }: { readonly scope: Scope; readonly path: string },
): Promise<StepResult> {
  const about = { step: path, kind: step.kind, target: step.kind === "tool" ? step.tool : undefined };
  if (run.dryRun && step.json.includes(dryMark)) {
    const left = notRun(about, "dry", "it needs a result that a dry run does not have");
    return { ...left, entry: { ...left.entry, params: JSON.parse(step.json) as unknown } };
  }
  const report = run.unknown.get(path);
  if (report === undefined || step.kind !== "tool") return runStep(run, step, scope);
  const question = `The process died while ${step.tool} was called with ${step.json.slice(0, 1_000)}, so it may have happened. Repeat it, or skip it?`;
  // Another death while it is repeated is another question.
  const asking = askStep({
    id: `${step.id}/unknown-${report}`,
    json: JSON.stringify([question, { choices: ["repeat", "skip"] }]),
  });
  const asked = await runStep({ ...run, beforeChange: () => run.journal.flush() }, asking, scope);
  if (asked.result === undefined) return asked;
  if ((asked.result.value as { answer?: unknown }).answer !== "skip") return runStep(run, step, scope);
  const entry = {
    ...about,
    status: "ok" as const,
    durationMs: 0,
    attempts: 0,
    summary: "skipped: unknown whether it happened",
  };
  return { entry, json: "null", result: { value: null }, counts: { ok: 1 } };
}

/** Begins the text that stands for a result in a dry run. */
const dryMark = "<result of call ";

/** @throws ToolError `conflict` */
function checkSame({ step, target, kind, call }: Entry, now: CallStep & { readonly args: string }): void {
  const name = now.kind === "tool" ? now.tool : "ask";
  const was = target ?? kind;
  if (was === name && call?.args === now.args) return;
  const problem = was === name ? `${name} with other arguments than before` : `${name}, and was ${was}`;
  throw new ToolError(
    "conflict",
    `${step}: the script went another way than before: the call is now ${problem}`,
    "Run it anew.",
  );
}

/** What the script gets of a call. */
function deliveryOf(
  { id, isOpened }: { readonly id: number; readonly isOpened: boolean },
  { entry, result, json }: StepResult,
  texts: ReturnType<typeof createKeptTexts>,
): Delivery {
  if (entry.status === "dry") return { id, kind: "dry", json: "" };
  if (result === undefined) {
    const error = entry.error ?? { code: "internal", message: "the call has no result" };
    return { id, kind: "error", json: JSON.stringify(error) };
  }
  const { value } = result;
  const isText = jsonOfResult(value) !== undefined;
  const text = isText || isOpened ? textOfResult(value) : undefined;
  const whole = text ?? json ?? toKeptJson(value);
  if (whole.length <= maxValue && !isOpened) return { id, kind: "value", json: whole };
  const handle = entry.handle ?? entry.step;
  texts.keep(handle, whole);
  return { id, kind: "large", json: JSON.stringify({ handle, size: whole.length }) };
}
