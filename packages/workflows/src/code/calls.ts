import { createHash } from "node:crypto";
import { canonicalJson, ToolError } from "@toolpacks/core";
import { jsonOfResult, textOfResult } from "@toolpacks/expressions";
import { addCounts, notRun, type Counts, type Run, type Scope, type StepResult } from "../engine/run.ts";
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

interface Finish {
  readonly call: Entry["call"];
  readonly changes?: boolean;
}

/**
 * The calls of a script. Calls that an earlier run finished end as they did then, in the same order. The others run side by side, and end one by one.
 */
export class Calls {
  readonly #run: Run;
  readonly #scope: Scope;
  readonly #earlier: ReadonlyMap<string, EarlierStep>;
  readonly #texts = createKeptTexts();
  readonly #replayed: Ended[] = [];
  readonly #ready: Ended[] = [];
  readonly #reads: Delivery[] = [];
  readonly #working = new Set<Promise<unknown>>();
  /** When the last call of the earlier run was made, and when the last call ended, in ms since the run began. */
  readonly #lastMade: number;
  #lastEnd: number;
  /** The last end that the script has seen. */
  #seen = 0;
  #open = 0;
  #wake = () => {};
  /** Calls that wait for an answer. */
  waiting = 0;
  counts: Counts = {};

  /** @param scope of the calls: its path is `code/`, and its order that of the script */
  constructor(run: Run, scope: Scope, earlier: ReadonlyMap<string, EarlierStep>) {
    [this.#run, this.#scope, this.#earlier] = [run, scope, earlier];
    const known = [...earlier.values()].flatMap(({ entry }) => entry.call ?? []);
    this.#lastMade = Math.max(-1, ...known.map(({ made }) => made));
    this.#lastEnd = Math.max(0, ...known.map(({ ended }) => ended));
  }

  /** The time of the script's clock, in ms. */
  now(): number {
    return this.#run.began + this.#seen;
  }

  /** Starts what the script asks for. @throws ToolError `conflict` for a call that differs from that of the earlier run */
  async start(requests: readonly CodeRequest[]): Promise<void> {
    for (const request of requests) {
      if (request.kind === "read") this.#reads.push(this.#texts.answer(request.id, request.json));
      else await this.#startCall(request);
    }
  }

  /** What the script gets next. Undefined if no call will end. */
  async next(): Promise<readonly Delivery[] | undefined> {
    if (this.#reads.length > 0) return this.#reads.splice(0);
    while (this.#replayed.length === 0 && this.#ready.length === 0) {
      if (this.#open === 0) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const { ended, delivery } = (this.#replayed.shift() ?? this.#ready.shift()) as Ended;
    this.#seen = ended;
    return [await delivery];
  }

  /** Resolves when all calls have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#working);
  }

  async #startCall(request: CodeRequest): Promise<void> {
    const { id, kind, json } = request;
    const run = this.#run;
    const step = kind === "ask" ? askStep(request) : await toolStep(run, request);
    const path = `${this.#scope.path}${id}`;
    const args = createHash("sha256")
      .update(canonicalJson(JSON.parse(json)))
      .digest("base64url")
      .slice(0, 22);
    const before = this.#earlier.get(path);
    if (before?.entry.call !== undefined) checkSame(before.entry, { ...step, args });
    run.budget.takeStep();
    if (before?.entry.call !== undefined && this.#isReplayed(before)) {
      const { entry } = before;
      const again = entry.status === "failed" ? { entry, counts: { failed: 1 } } : run.step(run, step, this.#scope);
      const delivery = Promise.resolve(again).then((outcome) =>
        this.#finish(request, outcome, { call: before.entry.call }),
      );
      this.#track(delivery);
      this.#replayed.push({ ended: before.entry.call.ended, delivery });
      this.#replayed.sort((one, other) => one.ended - other.ended);
      return;
    }
    let changes = false;
    const beforeChange = () => {
      changes = true;
      if (step.kind === "tool") run.journal.begin(path);
      return run.beforeChange();
    };
    const made = this.#seen;
    this.#open += 1;
    const ending = performCall({ ...run, beforeChange }, step, { scope: this.#scope, path }).then((outcome) => {
      this.#lastEnd = Math.max(this.#lastEnd + 0.001, Date.now() - run.began);
      const delivery = this.#finish(request, outcome, { call: { args, made, ended: this.#lastEnd }, changes });
      this.#track(delivery);
      if (outcome.entry.status === "waiting") this.waiting += 1;
      else this.#ready.push({ ended: this.#lastEnd, delivery });
    });
    this.#track(ending.finally(() => ((this.#open -= 1), this.#wake())));
  }

  /** Whether the script gets the earlier end of a call again. A failed call is made again if no other call was made after it. */
  #isReplayed({ entry: { step, status, call } }: EarlierStep): boolean {
    if (status !== "failed" || call === undefined) return status === "ok" || status === "cached";
    const { path } = this.#scope;
    const isAfter = (one: string) =>
      one.startsWith(path) && Number(one.slice(path.length)) > Number(step.slice(path.length));
    return call.ended <= this.#lastMade || [...this.#run.unknown.keys()].some(isAfter);
  }

  /** Writes the entry of a call, and makes of its result what the script gets. */
  async #finish({ id, kind }: CodeRequest, outcome: StepResult, { call, changes = false }: Finish): Promise<Delivery> {
    const { journal, digest } = this.#run;
    const order = `${this.#scope.order}.${String(id).padStart(7, "0")}`;
    const entry = await journal.add(
      { entry: { ...outcome.entry, call }, order, json: outcome.json },
      changes && "soon",
    );
    digest.add(entry, outcome);
    this.counts = addCounts(this.counts, outcome.counts);
    await this.#scope.progress?.(id, id + 1, `${entry.step}: ${entry.status}`);
    return deliveryOf({ id, isOpened: kind === "open" }, { ...outcome, entry }, this.#texts);
  }

  #track(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => this.#working.delete(done));
    this.#working.add(done);
  }
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
  // The relay opens only handles whose results are on disk.
  if (step.json.includes("relay://")) await run.journal.flush();
  const report = run.unknown.get(path);
  if (report === undefined || step.kind !== "tool") return run.step(run, step, scope);
  const question = `The process died while ${step.tool} was called with ${step.json.slice(0, 1_000)}, so it may have happened. Repeat it, or skip it?`;
  // Another death while it is repeated is another question.
  const asking = askStep({
    id: `${step.id}/unknown-${report}`,
    json: JSON.stringify([question, { choices: ["repeat", "skip"] }]),
  });
  const asked = await run.step({ ...run, beforeChange: () => run.journal.flush() }, asking, scope);
  if (asked.result === undefined) return asked;
  if ((asked.result.value as { answer?: unknown }).answer !== "skip") return run.step(run, step, scope);
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
