import type { ToolAccess, ToolContext } from "@toolpacks/core";
import type { Models } from "@toolpacks/models";
import type { Library } from "../definition/library.ts";
import type { OnError } from "../definition/step-kinds.ts";
import type { Step } from "../definition/workflow.ts";
import type { Values } from "@toolpacks/expressions";
import type { EarlierStep, Entry } from "../report/entry.ts";
import type { Reports } from "../report/reports.ts";
import type { Journal } from "../report/journal.ts";
import type { RunWaits } from "./run-waits.ts";
import type { RunBudget } from "./run-budget.ts";
import type { RunLimits } from "./run-limits.ts";
import type { StepDigest } from "./step-digest.ts";

/** Dependencies of every run. */
export interface Engine extends Reports {
  readonly library: Library;
  readonly models: Models;
  readonly limits: RunLimits;
  /** Kinds of step and names of step types that an inline definition may hold. */
  readonly inline: ReadonlySet<string>;
  /** Called with each error that is not a ToolError, and its step. */
  readonly onBug: (error: unknown, name: string) => void;
}

/** The tools that the steps of a call's run may use. @throws Error for a call that no dispatcher made */
export function accessOf({ access }: ToolContext): ToolAccess {
  if (access === undefined) throw new Error("a workflow runs only in a call through a dispatcher");
  return access;
}

/** One run of a workflow. */
export interface Run {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly digest: StepDigest;
  readonly budget: RunBudget;
  /** The context of the run's caller, without its progress. */
  readonly caller: ToolContext;
  readonly signal: AbortSignal;
  readonly dryRun: boolean;
  /** Whether tools that change anything are refused. */
  readonly readOnly: boolean;
  /** Awaited before anything changes. Everything before it is then on disk. */
  beforeChange(): Promise<void>;
  /** The steps of the run that this one resumes, by path. */
  readonly earlier: ReadonlyMap<string, EarlierStep>;
  /** Calls of the earlier run that began and have no entry, with the report in which each began. */
  readonly unknown: ReadonlyMap<string, string>;
  /** When the first report of the run began, in ms. */
  readonly began: number;
  readonly waits: RunWaits;
  /** The first report of the run. */
  readonly first: string;
  /** Runs one step, without an entry in the report. */
  step(run: Run, step: Step, scope: Scope): Promise<StepResult>;
  /** Runs steps one after another. */
  sequence(run: Run, steps: readonly Step[], scope: Scope): Promise<Sequence>;
}

/** A finished step: its report entry, and the result for later steps. */
export interface StepResult {
  readonly entry: Entry;
  /** Present when the step has a result. */
  readonly result?: { readonly value: unknown };
  /** The result that the journal writes. Absent when it is already kept. */
  readonly json?: string;
  readonly counts: Counts;
}

/** The place of a step in a workflow, and the values that it sees. */
export interface Scope {
  readonly input: unknown;
  readonly variables: Values;
  /** Results by id. Filled as steps finish. */
  readonly steps: Record<string, unknown>;
  readonly status: Record<string, string>;
  /** Steps that a dry run left out. Expressions that use them have no value. */
  readonly dry: Set<string>;
  /** Prefix of the steps' ids: `each/3/`. */
  readonly path: string;
  /** The place of a step, for sorting. Of a sequence: the prefix of its steps' places. */
  readonly order: string;
  readonly onError: OnError;
  /** Called after each step. */
  readonly progress?: ToolContext["progress"];
}

/** The result of a sequence of steps. */
export interface Sequence {
  /** `stopped`: a step failed, and the steps after it did not run. `waiting`: they run when the step goes on. */
  readonly status: "done" | "stopped" | "cancelled" | "waiting";
  /** Number of steps by status, including nested ones. */
  readonly counts: Counts;
  readonly last: Last | undefined;
  /** Why the sequence stopped. */
  readonly error: Entry["error"];
}

/** The last step with a result. */
export interface Last {
  readonly entry: Entry;
  readonly value: unknown;
}

export type Counts = Readonly<Partial<Record<Entry["status"], number>>>;

export function addCounts(one: Counts, other: Counts): Counts {
  const sum: Partial<Record<Entry["status"], number>> = { ...one };
  for (const [status, count] of Object.entries(other) as [Entry["status"], number][]) {
    sum[status] = (sum[status] ?? 0) + count;
  }
  return sum;
}

export function valuesOf({ input, steps, status, variables }: Scope): Values {
  return { ...variables, input, steps, status };
}

/** A copy of a scope for steps that run in parallel and must not see each other. */
export function inner(scope: Scope, changes: Partial<Scope>): Scope {
  const { progress: _outer, ...rest } = scope;
  return { ...rest, steps: { ...scope.steps }, status: { ...scope.status }, dry: new Set(scope.dry), ...changes };
}

/** The scope of the first step of a workflow. */
export function createScope(given: Pick<Scope, "input" | "onError"> & Partial<Scope>): Scope {
  return { variables: {}, steps: {}, status: {}, dry: new Set(), path: "", order: "", ...given };
}

/** The result of a step that does not run. */
export function notRun(
  about: Pick<Entry, "step" | "kind" | "target">,
  status: "skipped" | "dry",
  reason: string,
): StepResult {
  return { entry: { ...about, status, durationMs: 0, attempts: 0, reason }, counts: { [status]: 1 } };
}
