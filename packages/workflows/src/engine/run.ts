import type { CallContext, Catalog, Dispatcher, StepType, ToolContext } from "@toolpacks/core";
import type { Library } from "../definition/library.ts";
import type { OnError } from "../definition/step-kinds.ts";
import type { Step } from "../definition/workflow.ts";
import type { Values } from "../expressions/expression.ts";
import type { Models } from "../models/models.ts";
import type { EarlierStep } from "../report/earlier-step.ts";
import type { Entry } from "../report/entry.ts";
import type { Reports } from "../report/reports.ts";
import type { Journal } from "../report/journal.ts";
import type { RunBudget, RunLimits } from "./run-budget.ts";

/** The tools that workflows call: of the surface that the workflows are mounted on. */
export interface Desk {
  readonly catalog: Catalog;
  readonly dispatcher: Dispatcher;
}

/** What every run works with. */
export interface Engine extends Reports {
  readonly library: Library;
  readonly models: Models;
  readonly limits: RunLimits;
  /** What an inline definition may hold: kinds of step, and names of step types. */
  readonly inline: ReadonlySet<string>;
  /** Told of every error that is not a ToolError, with the step. */
  readonly onBug: (error: unknown, name: string) => void;
  desk(): Desk;
  stepTypes(): Promise<ReadonlyMap<string, StepType>>;
}

/** One run of a workflow. */
export interface Run {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly budget: RunBudget;
  readonly caller: CallContext;
  readonly signal: AbortSignal;
  readonly dryRun: boolean;
  /** Awaited before anything changes: by then all before it is on disk. */
  beforeChange(): Promise<void>;
  /** By the step's path. */
  readonly earlier: (path: string) => Promise<EarlierStep | undefined>;
  /** Why a step is left out; undefined when it is not. */
  leftOut(step: Step): string | undefined;
  /** Runs steps one after the other. */
  sequence(run: Run, steps: readonly Step[], scope: Scope): Promise<Sequence>;
}

/** Where in a workflow a step stands, and what it can see. */
export interface Scope {
  readonly input: unknown;
  readonly variables: Values;
  /** Results by id. Grows as steps finish. */
  readonly steps: Record<string, unknown>;
  readonly status: Record<string, string>;
  /** Steps that did not run because the run is dry: what refers to them cannot be known. */
  readonly dry: Set<string>;
  /** Before the ids of the steps: `each/3/`. */
  readonly path: string;
  readonly order: string;
  readonly onError: OnError;
  /** Told after each step, where somebody wants to know. */
  readonly progress?: ToolContext["progress"];
}

/** How steps in a row went. */
export interface Sequence {
  /** `stopped`: one failed, and those after it did not run. */
  readonly status: "done" | "stopped" | "cancelled";
  /** Steps by status, with those inside them. */
  readonly counts: Counts;
  readonly last: Last | undefined;
  /** Why it stopped. */
  readonly error: Entry["error"];
  /** Whether a step that changes something ran. */
  readonly durable: boolean;
}

/** The last step that left a result. */
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

/** A scope for steps that must not see what others do at the same time. */
export function inner(scope: Scope, changes: Partial<Scope>): Scope {
  const { progress: _outer, ...rest } = scope;
  return { ...rest, steps: { ...scope.steps }, status: { ...scope.status }, dry: new Set(scope.dry), ...changes };
}
