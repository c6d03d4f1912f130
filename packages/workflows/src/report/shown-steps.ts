import type { RunResult } from "../engine/run-workflow.ts";
import { maxStart, type SucceededStep } from "../engine/step-digest.ts";
import { fairShare, itemCount } from "@toolpacks/expressions";
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
  /** How many items of a list are shown, if there are more: `27 of 40`, or `27 items, all that the server sent`. */
  readonly items?: string | undefined;
  readonly start?: string;
  /** Characters that were cut. */
  readonly more?: number;
}

/** The steps before the last one, as far as its result does not hold theirs. */
export function earlierSteps({ succeeded, last, status, hidesLast }: RunResult): readonly ShownStep[] {
  const inLast = last?.entry.kind === "parallel" && last.value !== null ? Object.keys(last.value as object) : [];
  const others = succeeded.filter(
    ({ entry: { step, kind } }) =>
      (hidesLast || step !== last?.entry.step) && kind !== "parallel" && !step.includes("/") && !inLast.includes(step),
  );
  return status === "failed" || status === "cancelled" ? [] : shareResults(others);
}

/**
 * Shows as much of each result as there is room for. Short results are shown whole, and leave room for longer ones. A result beyond its own
 * limit is left out.
 */
export function shareResults(steps: readonly SucceededStep[]): readonly ShownStep[] {
  const texts = steps.map(({ value, start = "" }) => (value === undefined ? start : resultText(value)));
  const isLeftOut = ({ maxShown = Infinity, entry: { size = 0 } }: SucceededStep) => size > maxShown;
  const share = fairShare(
    steps.map((step, at) => (isLeftOut(step) ? 0 : Math.min(texts[at]?.length ?? 0, maxStart))),
    maxShownResults,
  );
  return steps.map((succeeded, at): ShownStep => {
    const { entry, value } = succeeded;
    const { step, target, handle, size = 0 } = entry;
    const text = texts[at] ?? "";
    const maxLength = isLeftOut(succeeded) ? 0 : Math.min(share, maxStart);
    const about = { step, target, handle, items: itemCount(value, text, maxLength) };
    if (value !== undefined && text.length <= maxLength) return { ...about, result: value };
    const start = text.slice(0, maxLength).toWellFormed();
    return { ...about, ...(start !== "" && { start }), more: Math.max(size, text.length) - start.length };
  });
}

export function renderShown({ step, target, result, handle, items, start, more }: ShownStep): string {
  const size = more === undefined || start !== undefined ? undefined : `${more.toLocaleString("en")} characters`;
  const head = [`${step}: ok`, target, handle, size, items].filter((fact) => fact !== undefined).join(", ");
  if (start !== undefined) return `${head} | ${start}… ${more?.toLocaleString("en")} characters more`;
  return result === undefined ? head : `${head} | ${resultText(result)}`;
}
