import type { RunResult } from "../engine/run-workflow.ts";
import type { SucceededStep } from "../engine/step-digest.ts";
import { fairShare } from "@toolpacks/expressions";
import { resultText } from "./result-text.ts";

/** Maximum characters of the results of the steps in an answer, besides the last one. */
const maxShownResults = 12_000;

/** Maximum characters of a result that only later steps used. */
const maxPassedLength = 600;

/** A step that succeeded, with its result or the start of its text. */
export interface ShownStep {
  readonly step: string;
  readonly target?: string;
  readonly result?: unknown;
  /** The handle of a long result. */
  readonly handle?: string;
  readonly start?: string;
  /** Characters that were cut. */
  readonly more?: number;
}

/** The steps before the last one, as far as its result does not hold theirs. */
export function earlierSteps({ succeeded, last, status }: RunResult): readonly ShownStep[] {
  const inLast = last?.entry.kind === "parallel" && last.value !== null ? Object.keys(last.value as object) : [];
  const others = succeeded.filter(
    ({ entry: { step, kind } }) =>
      step !== last?.entry.step && kind !== "parallel" && !step.includes("/") && !inLast.includes(step),
  );
  return status === "failed" || status === "cancelled" ? [] : shareResults(others);
}

/**
 * Shows as much of each result as there is room for. Short results are shown whole, and leave room for longer ones. Of a result that
 * later steps used, the start is shown.
 */
export function shareResults(steps: readonly SucceededStep[]): readonly ShownStep[] {
  const texts = steps.map(({ value, start = "" }) => (value === undefined ? start : resultText(value)));
  const maxOf = ({ isPassed }: SucceededStep) => (isPassed === true ? maxPassedLength : Infinity);
  const share = fairShare(
    steps.map((step, at) => Math.min(texts[at]?.length ?? 0, maxOf(step))),
    maxShownResults,
  );
  return steps.map((succeeded, at): ShownStep => {
    const { entry, value } = succeeded;
    const maxLength = Math.min(share, maxOf(succeeded));
    const { step, target, handle, size = 0 } = entry;
    const text = texts[at] ?? "";
    const about = { step, target, handle };
    if (value !== undefined && text.length <= maxLength) return { ...about, result: value };
    const start = text.slice(0, maxLength).toWellFormed();
    return { ...about, start, more: Math.max(size, text.length) - start.length };
  });
}

export function renderShown({ step, target, result, handle, start, more }: ShownStep): string {
  const head = [`${step}: ok`, target, handle].filter((fact) => fact !== undefined).join(", ");
  if (more !== undefined) return `${head} | ${start}… ${more.toLocaleString("en")} characters more`;
  return result === undefined ? head : `${head} | ${resultText(result)}`;
}
