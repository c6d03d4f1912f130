import type { Entry } from "../report/entry.ts";

/** Maximum steps in an answer. The report has all. */
const maxSteps = 20;

/** A step with a result. */
export interface SucceededStep {
  readonly entry: Entry;
  /** The result. Undefined if its JSON has more than 1,000,000 characters. */
  readonly value: unknown;
  /** The start of the JSON of a longer result. */
  readonly start?: string;
  /** Maximum characters of the result in an answer, which leaves out a longer one. Default: the start is shown of a long one. */
  readonly maxShown?: number;
}

/** Maximum characters of a long result that are shown. */
export const maxStart = 4_000;
/** Maximum characters of a result that is kept for its text and its items. */
const maxWhole = 1_000_000;

/** The steps that an answer shows. */
export class StepDigest {
  /** Failed steps, and in a dry run the steps that would have run. */
  readonly shown: Entry[] = [];
  readonly succeeded: SucceededStep[] = [];
  readonly skipped: Entry[] = [];

  /** @param outcome the step's result, if any, and its JSON unless an earlier run kept it */
  add(
    entry: Entry,
    { json = "", result }: { readonly json?: string; readonly result?: { readonly value: unknown } },
  ): void {
    const { status, size = 0 } = entry;
    // The answer shows the script that makes a call.
    if (entry.call !== undefined && status !== "dry") return;
    const isShown = status === "failed" || status === "dry" || entry.passedOver !== undefined;
    if (isShown && this.shown.length < maxSteps) this.shown.push(entry);
    if (status === "skipped" && this.skipped.length < maxSteps) this.skipped.push(entry);
    if ((status !== "ok" && status !== "cached") || this.succeeded.length === maxSteps) return;
    const kept = size <= maxWhole ? {} : { value: undefined, start: json.slice(0, maxStart).toWellFormed() };
    this.succeeded.push({ entry, value: result?.value ?? null, ...kept });
  }
}
