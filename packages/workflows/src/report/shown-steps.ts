import type { RunResult } from "../engine/run-workflow.ts";
import type { SucceededStep } from "../engine/step-digest.ts";
import { resultText } from "./result-text.ts";

/** Maximum characters of the results of the steps in an answer, besides the last one. */
const maxShownResults = 12_000;

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

/** Shows as much of each result as there is room for. Short results are shown whole, and leave room for longer ones. */
export function shareResults(steps: readonly SucceededStep[]): readonly ShownStep[] {
  const texts = steps.map(({ value, start = "" }) => (value === undefined ? start : resultText(value)));
  const share = fairShare(texts.map(({ length }) => length));
  return steps.map(({ entry, value }, at): ShownStep => {
    const { step, target, handle, size = 0 } = entry;
    const text = texts[at] ?? "";
    const about = { step, ...(target !== undefined && { target }), ...(handle !== undefined && { handle }) };
    if (value !== undefined && text.length <= share) return { ...about, result: value };
    const start = text.slice(0, share).toWellFormed();
    return { ...about, start, more: Math.max(size, text.length) - start.length };
  });
}

function fairShare(lengths: readonly number[]): number {
  let left = maxShownResults;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [at, length] of sorted.entries()) {
    const share = left / (sorted.length - at);
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return Infinity;
}

export function renderShown({ step, target, result, handle, start, more }: ShownStep): string {
  const head = [`${step}: ok`, target, handle].filter((fact) => fact !== undefined).join(", ");
  if (more !== undefined) return `${head} | ${start}… ${more.toLocaleString("en")} characters more`;
  return result === undefined ? head : `${head} | ${resultText(result)}`;
}
