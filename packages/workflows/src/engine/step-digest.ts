import { isLong, type Entry } from "../report/entry.ts";
import { resultText } from "../report/result-text.ts";

/** Maximum steps in an answer. The report has all. */
const maxSteps = 20;

/** A step with a result. */
export interface SucceededStep {
  readonly entry: Entry;
  /** The result, if it is short. */
  readonly value: unknown;
  /** The start of a long result: of its text if it has only a text, otherwise of its JSON. */
  readonly start?: string;
  /** Whether only steps that succeeded used the result, so that a later result shows what became of it. */
  readonly isPassed?: boolean;
}

const maxStart = 4_000;

/** The steps that an answer shows. */
export class StepDigest {
  /** Failed steps, and in a dry run the steps that would have run. */
  readonly shown: Entry[] = [];
  readonly succeeded: SucceededStep[] = [];
  readonly skipped: Entry[] = [];

  /** @param json the step's result, if any */
  add(entry: Entry, json: string | undefined): void {
    const { status } = entry;
    const isShown = status === "failed" || status === "dry" || entry.passedOver !== undefined;
    if (isShown && this.shown.length < maxSteps) this.shown.push(entry);
    if (status === "skipped" && this.skipped.length < maxSteps) this.skipped.push(entry);
    if ((status === "ok" || status === "cached") && this.succeeded.length < maxSteps)
      this.succeeded.push({ entry, ...shownPart(json) });
  }
}

function shownPart(json: string | undefined): Pick<SucceededStep, "value" | "start"> {
  if (json === undefined) return { value: undefined };
  return isLong(json.length) ? { value: undefined, start: startOf(json) } : { value: JSON.parse(json) as unknown };
}

/** Maximum characters of a result that is parsed for its start. */
const maxParsed = 1_000_000;

function startOf(json: string): string {
  const isText = json.startsWith('{"text":') && json.length <= maxParsed;
  const text = isText ? resultText(JSON.parse(json)) : json;
  return text.slice(0, maxStart).toWellFormed();
}
