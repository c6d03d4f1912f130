import type { JsonSchema, ToolSchema } from "@toolpacks/core";
import type { Expression } from "../expressions/expression.ts";
import type { Template } from "../expressions/template.ts";
import type { OnError } from "./step-kinds.ts";
import type { WorkflowSource } from "./workflow-source.ts";

/** A checked workflow. */
export interface Workflow {
  readonly name: string;
  readonly description: string;
  readonly source: WorkflowSource;
  /** Of its input; without one any input is taken. */
  readonly input: { readonly json: JsonSchema; readonly schema: ToolSchema } | undefined;
  readonly steps: readonly Step[];
  readonly onError: OnError;
}

/** How a step runs, whatever it does. */
export interface Conduct {
  /** Unique in its workflow. */
  readonly id: string;
  readonly when: Expression | undefined;
  /** 1: it is not tried again. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; it doubles. */
  readonly backoff: number;
  /** Milliseconds for each attempt. */
  readonly timeout: number | undefined;
  readonly fallback: readonly Step[];
  readonly onError: OnError | undefined;
  /** The steps that its expressions name. */
  readonly references: readonly string[];
}

/** What a step does. */
export type Action =
  | { readonly kind: "tool"; readonly tool: string; readonly params: Template }
  | { readonly kind: "step"; readonly step: string; readonly params: Template }
  | {
      readonly kind: "model";
      readonly model: string;
      readonly prompt: Template;
      readonly system: Template | undefined;
      readonly schema: { readonly json: JsonSchema; readonly schema: ToolSchema } | undefined;
    }
  | { readonly kind: "workflow"; readonly workflow: string; readonly input: Template }
  | { readonly kind: "parallel"; readonly steps: readonly Step[]; readonly concurrency: number }
  | {
      readonly kind: "forEach";
      readonly items: Template;
      readonly as: string;
      readonly steps: readonly Step[];
      readonly concurrency: number;
    };

export type Step = Conduct & Action;

/** Every step of these, and those inside them. */
export function everyStep(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => [step, ...everyStep(insideOf(step)), ...everyStep(step.fallback)]);
}

function insideOf(step: Step): readonly Step[] {
  return step.kind === "parallel" || step.kind === "forEach" ? step.steps : [];
}
