import { hash } from "node:crypto";
import { foreignSchema, handleReader, isObject, ToolError } from "@toolpacks/core";
import { constantTemplate, jsonOfResult, textOfResult } from "@toolpacks/expressions";
import { objectSchema } from "../definition/shorthand.ts";
import type { StepOf } from "../definition/workflow.ts";
import { accessOf, addCounts, notRun, type Counts, type Run, type Scope, type StepResult } from "../engine/run.ts";
import type { Entry } from "../report/entry.ts";
import { toKeptJson } from "../report/kept-result.ts";
import { findTool } from "./check-code.ts";
import { dryMark, type CodeRequest, type Delivery } from "./protocol.ts";

/** JSON of more characters is a handle for the script. */
const maxValue = 1_000_000;

/** A call of a script as a step. */
type CallStep = StepOf<"tool"> | StepOf<"ask">;
type Call = NonNullable<Entry["call"]>;
/** What the script gets of a call. Undefined if the call waits. */
type End = Promise<Delivery | undefined>;

/** The calls of a script. Calls that an earlier run finished end as they did then, in the same order. The others run side by side. */
export class Calls {
  readonly #run: Run;
  readonly #scope: Scope;
  /** Calls that an earlier run finished, and calls that ended now, which the script has not got. */
  readonly #replays: { readonly call: Call; readonly end: () => End }[] = [];
  readonly #ended: End[] = [];
  /** When the last call of the earlier run was made, and when the last call ended, in ms. */
  readonly #lastMade: number;
  #lastEnd: number;
  #open = 0;
  #wake = () => {};
  counts: Counts = {};

  /** @param scope of the calls: its path is `code/`, and its order that of the script */
  constructor(run: Run, scope: Scope) {
    [this.#run, this.#scope] = [run, scope];
    const known = [...run.earlier].flatMap(([path, { entry }]) => (path.startsWith(scope.path) && entry.call) || []);
    this.#lastMade = Math.max(-1, ...known.map(({ made }) => made));
    this.#lastEnd = Math.max(run.began, ...known.map(({ ended }) => ended));
  }

  /** Starts what the script asks for. @throws ToolError `conflict` for a call that differs from that of the earlier run */
  async start(requests: readonly CodeRequest[]): Promise<void> {
    for (const request of requests) {
      const step = await callStep(this.#run, request);
      const args = hash("sha256", request.json, "base64url").slice(0, 22);
      const before = this.#run.earlier.get(`${this.#scope.path}${request.id}`)?.entry;
      this.#run.budget.takeStep();
      if (before?.call !== undefined) checkSame(before, step, args);
      if (before?.call !== undefined && this.#isReplayed(before, before.call)) this.#replay(request, step, before);
      else this.#perform(request, step, args);
    }
  }

  /** What the script gets next, in its order. Undefined if no call will end. */
  async next(): Promise<readonly Delivery[] | undefined> {
    for (;;) {
      // A replayed call may lead to one that ended before the others.
      const replay = this.#replays.shift();
      const ends = await Promise.all(replay === undefined ? this.#ended.splice(0) : [replay.end()]);
      const deliveries = ends.filter((end) => end !== undefined);
      if (deliveries.length > 0) return deliveries;
      if (this.#ended.length > 0) continue;
      if (this.#open === 0) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Resolves when all calls have ended. */
  async settled(): Promise<void> {
    for (let left: unknown = []; left !== undefined;) left = await this.next().catch(() => []);
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
    const call = entry.call as Call;
    const again = async (): Promise<StepResult> =>
      entry.status === "failed" ? { entry, counts: { failed: 1 } } : this.#run.step(this.#run, step, this.#scope);
    this.#replays.push({ call, end: () => this.#finish(request, again(), call) });
    this.#replays.sort((one, other) => one.call.ended - other.call.ended);
  }

  #perform(request: CodeRequest, step: CallStep, args: string): void {
    const beforeChange = () => {
      if (step.kind === "tool") this.#run.journal.begin(`${this.#scope.path}${step.id}`);
      return this.#run.beforeChange();
    };
    const work = this.#call({ ...this.#run, beforeChange }, step, request.json);
    const end = () => {
      this.#open -= 1;
      this.#lastEnd = Math.max(this.#lastEnd + 0.001, Date.now());
      this.#ended.push(this.#finish(request, work, { args, made: request.made, ended: this.#lastEnd }));
      this.#wake();
    };
    this.#open += 1;
    void work.then(end, end);
  }

  /** Performs a call. If it was under way when an earlier run was killed, a person is asked first. */
  async #call(run: Run, step: CallStep, json: string): Promise<StepResult> {
    const scope = this.#scope;
    if (step.kind === "ask") return run.step(run, step, scope);
    const params = step.params.source;
    const about = { step: `${scope.path}${step.id}`, kind: step.kind, target: step.tool, params };
    if (run.dryRun && json.includes(dryMark))
      return notRun(about, "dry", "it needs a result that a dry run does not have");
    // The relay opens only handles whose results are on disk.
    if (json.includes("relay://")) await run.journal.flush();
    const report = run.unknown.get(about.step);
    if (report === undefined) return run.step(run, step, scope);
    const shown = JSON.stringify(params).slice(0, 1_000);
    const question = `The process died while ${step.tool} was called with ${shown}, so it may have happened. Repeat it, or skip it?`;
    // Another death while it is repeated is another question.
    const asking = askStep(`${step.id}/unknown-${report}`, question, { choices: ["repeat", "skip"] });
    const asked = await this.#run.step(this.#run, asking, scope);
    if (asked.result === undefined) return asked;
    if ((asked.result.value as { answer?: unknown }).answer !== "skip") return run.step(run, step, scope);
    const summary = "skipped: unknown whether it happened";
    const entry: Entry = { ...about, status: "ok", durationMs: 0, attempts: 0, summary };
    return { entry, json: "null", result: { value: null }, counts: { ok: 1 } };
  }

  /** Writes the entry of a call, and makes of its result what the script gets. */
  async #finish({ id, kind }: CodeRequest, work: Promise<StepResult>, call: Call): End {
    const outcome = await work;
    const order = `${this.#scope.order}.${String(id).padStart(7, "0")}`;
    const finished = { entry: { ...outcome.entry, call }, order, json: outcome.json };
    const entry = await this.#run.journal.add(finished, false);
    this.#run.digest.add(entry, outcome);
    this.counts = addCounts(this.counts, outcome.counts);
    await this.#scope.progress?.(id, id + 1, `${entry.step}: ${entry.status}`);
    if (entry.status === "waiting") return undefined;
    return { id, at: call.ended, ...deliveryOf({ ...outcome, entry }, kind === "open") };
  }
}

const policy = { attempts: 1, backoff: 0, timeout: 300_000, fallback: [], references: [], users: ["the script"] };

/** The step that a script asks for: a call of a tool, the opening of a handle by the tool that reads handles, or a question. */
async function callStep({ caller }: Run, { id, kind, json }: CodeRequest): Promise<CallStep> {
  const given = JSON.parse(json) as readonly unknown[];
  if (kind === "ask") return askStep(id, given[0], given[1]);
  const [path, args] = kind === "open" ? [[handleReader], { handle: given[0], mode: "whole" }] : given;
  const found = await findTool(accessOf(caller), path as readonly string[]);
  const tool = "failure" in found ? (path as readonly string[]).join("_") : found.tool.name;
  return { ...policy, id: String(id), kind: "tool", tool, params: constantTemplate(args) };
}

/** @param options `{choices, schema, deadline}` */
function askStep(id: number | string, question: unknown, options: unknown): StepOf<"ask"> {
  const { choices, schema, deadline } = isObject(options) ? options : {};
  return {
    ...policy,
    id: String(id),
    kind: "ask",
    question: constantTemplate(question),
    choices: choices === undefined ? undefined : constantTemplate(choices),
    schema: isObject(schema) ? foreignSchema(objectSchema(schema, "schema")) : undefined,
    deadline: deadline === undefined ? undefined : constantTemplate(deadline),
  };
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
function deliveryOf({ entry, result, json }: StepResult, isOpened: boolean): Omit<Delivery, "id" | "at"> {
  if (entry.status === "dry") return { kind: "dry", json: "" };
  if (result === undefined) return { kind: "error", json: JSON.stringify(entry.error) };
  const { value } = result;
  const text = isOpened || jsonOfResult(value) !== undefined ? textOfResult(value) : undefined;
  const whole = text ?? json ?? toKeptJson(value);
  if (whole.length <= maxValue && !isOpened) return { kind: "value", json: whole };
  return { kind: "large", json: whole, handle: entry.handle ?? entry.step };
}
