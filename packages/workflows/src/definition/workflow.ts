import type { ToolSchema } from "@toolpacks/core";
import type { Expression, Template } from "@toolpacks/expressions";
import type { OnError } from "./step-kinds.ts";
import type { WorkflowSource } from "./workflow-source.ts";

/** The name of a definition that comes with a call, in its report. */
export const inlineName = "inline";

/** A compiled workflow. */
export interface Workflow {
  readonly name: string;
  readonly description: string;
  readonly source: WorkflowSource;
  /** JSON Schema of the input. Without it, any input is accepted. */
  readonly input: ToolSchema | undefined;
  readonly steps: readonly Step[];
  readonly onError: OnError;
}

/** Settings that every kind of step has. */
export interface StepPolicy {
  /** Unique in its workflow. */
  readonly id: string;
  readonly when?: Expression | undefined;
  /** Maximum attempts. 1: no retry. */
  readonly attempts: number;
  /** Delay before the second attempt in ms. It doubles each time. */
  readonly backoff: number;
  /** Timeout of each attempt in ms. */
  readonly timeout?: number | undefined;
  readonly fallback: readonly Step[];
  readonly onError?: OnError | undefined;
  /** Whether the answer of the run shows its result. Undefined: unless later steps use it. */
  readonly show?: boolean | undefined;
  /** The steps that its expressions use. */
  readonly references: readonly string[];
  /** The steps whose expressions use its result. */
  readonly users: readonly string[];
}

/** What a step does. */
export type Action =
  | { readonly kind: "tool"; readonly tool: string; readonly params: Template }
  | { readonly kind: "step"; readonly step: string; readonly params: Template }
  | {
      readonly kind: "model";
      /** The model, or the task that it serves. */
      readonly serves: { readonly model: string } | { readonly task: string };
      readonly prompt: Template;
      readonly system: Template | undefined;
      readonly schema: ToolSchema | undefined;
    }
  | { readonly kind: "workflow"; readonly workflow: string; readonly input: Template }
  | { readonly kind: "parallel"; readonly steps: readonly Step[]; readonly concurrency: number }
  | {
      readonly kind: "forEach";
      readonly items: Template;
      readonly as: string;
      readonly steps: readonly Step[];
      readonly concurrency: number;
    }
  | {
      readonly kind: "ask";
      readonly question: Template;
      readonly choices: Template | undefined;
      readonly schema: ToolSchema | undefined;
      readonly deadline: Template | undefined;
    }
  | { readonly kind: "wait"; readonly waitsFor: "until" | "for" | "issue"; readonly value: Template }
  | { readonly kind: "issue"; readonly issues: Template }
  | { readonly kind: "code"; readonly code: string };

export type Step = StepPolicy & Action;

export type StepOf<Kind extends Action["kind"]> = Step & { readonly kind: Kind };

/** All steps, including nested ones. */
export function everyStep(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => [step, ...everyStep(childrenOf(step))]);
}

/** The steps inside a step, and its fallback. */
export function childrenOf(step: Step): readonly Step[] {
  const inside = step.kind === "parallel" || step.kind === "forEach" ? step.steps : [];
  return [...inside, ...step.fallback];
}
