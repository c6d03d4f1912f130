import { hash } from "node:crypto";
import { ToolError } from "@toolpacks/core";
import { jsonOfResult, textOfResult } from "@toolpacks/expressions";
import { addCounts, notRun, type Counts, type Run, type Scope, type StepResult } from "../engine/run.ts";
import type { EarlierStep, Entry } from "../report/entry.ts";
import { toKeptJson } from "../report/kept-result.ts";
import { askStep, callStep, type CallStep } from "./call-steps.ts";
import { dryMark, type CodeRequest, type Delivery } from "./protocol.ts";

/** JSON of more characters is a handle for the script. */
const maxValue = 1_000_000;

type Call = NonNullable<Entry["call"]>;

/** A call of a script that ended, and what the script gets of it. */
interface Ended {
  readonly call: Call;
  readonly delivery: Promise<Delivery>;
}

/**
 * The calls of a script. Calls that an earlier run finished end as they did then, in the same order. The others run side by side, and end one by one.
 */
export class Calls {
  readonly #run: Run;
  readonly #scope: Scope;
  readonly #earlier: ReadonlyMap<string, EarlierStep>;
  /** Calls that the script has not got. */
  readonly #replayed: Ended[] = [];
  readonly #ended: Ended[] = [];
  readonly #working = new Set<Promise<unknown>>();
  /** When the last call of the earlier run was made, and when the last call ended, in ms since the run began. */
  readonly #lastMade: number;
  #lastEnd: number;
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

  /** Starts what the script asks for. @throws ToolError `conflict` for a call that differs from that of the earlier run */
  async start(requests: readonly CodeRequest[]): Promise<void> {
    for (const request of requests) {
      const step = await callStep(this.#run, request);
      const args = hash("sha256", request.json, "base64url").slice(0, 22);
      const before = this.#earlier.get(`${this.#scope.path}${request.id}`);
      if (before?.entry.call !== undefined) checkSame(before.entry, step, args);
      this.#run.budget.takeStep();
      if (before?.entry.call !== undefined && this.#isReplayed(before.entry, before.entry.call))
        this.#replay(request, step, before.entry);
      else this.#perform(request, step, args);
    }
  }

  /** What the script gets next, in its order. Undefined if no call will end. */
  async next(): Promise<readonly Delivery[] | undefined> {
    while (this.#replayed.length === 0 && this.#ended.length === 0) {
      if (this.#open === 0) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    // A replayed call may lead to one that ended before the others.
    const batch = this.#replayed.length > 0 ? this.#replayed.splice(0, 1) : this.#ended.splice(0);
    return Promise.all(batch.map(({ delivery }) => delivery));
  }

  /** Resolves when all calls have ended. */
  async settled(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
  }

  /** Whether the script gets the earlier end of a call again. A failed call is made again if no other call was made after it. */
  #isReplayed({ step, status }: Entry, { ended }: Call): boolean {
    if (status !== "failed") return status === "ok" || status === "cached";
    const { path } = this.#scope;
    const isAfter = (one: string) =>
      one.startsWith(path) && Number(one.slice(path.length)) > Number(step.slice(path.length));
    return ended <= this.#lastMade || [...this.#run.unknown.keys()].some(isAfter);
  }

  #replay(request: CodeRequest, step: CallStep, entry: Entry): void {
    const again: StepResult = { entry, counts: { failed: 1 } };
    const work = entry.status === "failed" ? Promise.resolve(again) : this.#run.step(this.#run, step, this.#scope);
    const call = entry.call as Call;
    this.#replayed.push({ call, delivery: this.#track(this.#finish(request, work, { call, changes: false })) });
    this.#replayed.sort((one, other) => one.call.ended - other.call.ended);
  }

  #perform(request: CodeRequest, step: CallStep, args: string): void {
    const run = this.#run;
    const path = `${this.#scope.path}${step.id}`;
    let changes = false;
    const beforeChange = () => {
      changes = true;
      if (step.kind === "tool") run.journal.begin(path);
      return run.beforeChange();
    };
    this.#open += 1;
    const work = performCall({ ...run, beforeChange }, step, { scope: this.#scope, path, json: request.json });
    const ending = work.then((outcome) => {
      this.#lastEnd = Math.max(this.#lastEnd + 0.001, Date.now() - run.began);
      const call = { args, made: request.made, ended: this.#lastEnd };
      const delivery = this.#track(this.#finish(request, outcome, { call, changes }));
      if (outcome.entry.status === "waiting") this.waiting += 1;
      else this.#ended.push({ call, delivery });
    });
    void this.#track(ending.finally(() => ((this.#open -= 1), this.#wake())));
  }

  /** Writes the entry of a call, and makes of its result what the script gets. */
  async #finish(
    { id, kind }: CodeRequest,
    work: StepResult | Promise<StepResult>,
    { call, changes }: { readonly call: Call; readonly changes: boolean },
  ): Promise<Delivery> {
    const outcome = await work;
    const order = `${this.#scope.order}.${String(id).padStart(7, "0")}`;
    const finished = { entry: { ...outcome.entry, call }, order, json: outcome.json };
    const entry = await this.#run.journal.add(finished, changes && "soon");
    this.#run.digest.add(entry, outcome);
    this.counts = addCounts(this.counts, outcome.counts);
    await this.#scope.progress?.(id, id + 1, `${entry.step}: ${entry.status}`);
    return { id, at: call.ended, ...deliveryOf({ ...outcome, entry }, kind === "open") };
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const done = work.catch(() => {}).finally(() => this.#working.delete(done));
    this.#working.add(done);
    return work;
  }
}

/** Performs a call. If it was under way when an earlier run was killed, a person is asked first. */
async function performCall(
  run: Run,
  step: CallStep,
  { scope, path, json }: { readonly scope: Scope; readonly path: string; readonly json: string },
): Promise<StepResult> {
  const about = { step: path, kind: step.kind, target: step.kind === "tool" ? step.tool : undefined };
  if (run.dryRun && json.includes(dryMark)) {
    const left = notRun(about, "dry", "it needs a result that a dry run does not have");
    return { ...left, entry: { ...left.entry, params: step.kind === "tool" ? step.params.source : undefined } };
  }
  // The relay opens only handles whose results are on disk.
  if (json.includes("relay://")) await run.journal.flush();
  const report = run.unknown.get(path);
  if (report === undefined || step.kind !== "tool") return run.step(run, step, scope);
  const shown = JSON.stringify(step.params.source).slice(0, 1_000);
  const question = `The process died while ${step.tool} was called with ${shown}, so it may have happened. Repeat it, or skip it?`;
  // Another death while it is repeated is another question.
  const asking = askStep(`${step.id}/unknown-${report}`, question, { choices: ["repeat", "skip"] });
  const asked = await run.step({ ...run, beforeChange: () => run.journal.flush() }, asking, scope);
  if (asked.result === undefined) return asked;
  if ((asked.result.value as { answer?: unknown }).answer !== "skip") return run.step(run, step, scope);
  const summary = "skipped: unknown whether it happened";
  const entry: Entry = { ...about, status: "ok", durationMs: 0, attempts: 0, summary };
  return { entry, json: "null", result: { value: null }, counts: { ok: 1 } };
}

/** @throws ToolError `conflict` */
function checkSame({ step, target, kind, call }: Entry, now: CallStep, args: string): void {
  const name = now.kind === "tool" ? now.tool : "ask";
  const was = target ?? kind;
  if (was === name && call?.args === args) return;
  const problem = was === name ? `${name} with other arguments than before` : `${name}, and was ${was}`;
  const message = `${step}: the script went another way than before: the call is now ${problem}`;
  throw new ToolError("conflict", message, "Run it anew.");
}

/** @param isOpened whether the script opens a handle, which is no value */
function deliveryOf(
  { entry, result, json }: StepResult,
  isOpened: boolean,
): Pick<Delivery, "kind" | "json" | "handle"> {
  if (entry.status === "dry") return { kind: "dry", json: "" };
  if (result === undefined) return { kind: "error", json: JSON.stringify(entry.error) };
  const { value } = result;
  const text = isOpened || jsonOfResult(value) !== undefined ? textOfResult(value) : undefined;
  const whole = text ?? json ?? toKeptJson(value);
  if (whole.length <= maxValue && !isOpened) return { kind: "value", json: whole };
  return { kind: "large", json: whole, handle: entry.handle ?? entry.step };
}
