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

/** Maximum characters of the start of a long result. */
const maxStart = 4_000;

/** The steps that an answer shows. */
export interface StepDigest {
  /** Failed steps, and in a dry run the steps that would have run. */
  readonly shown: readonly Entry[];
  readonly succeeded: readonly SucceededStep[];
  readonly skipped: readonly Entry[];
  /** @param json the step's result, if any */
  readonly add: (entry: Entry, json: string | undefined) => void;
}

export function createStepDigest(): StepDigest {
  const shown: Entry[] = [];
  const succeeded: SucceededStep[] = [];
  const skipped: Entry[] = [];
  return {
    shown,
    succeeded,
    skipped,
    add(entry, json = "") {
      const { status } = entry;
      const isShown = status === "failed" || status === "dry" || entry.passedOver !== undefined;
      if (isShown && shown.length < maxSteps) shown.push(entry);
      if (status === "skipped" && skipped.length < maxSteps) skipped.push(entry);
      if ((status === "ok" || status === "cached") && succeeded.length < maxSteps) {
        const isHeld = json !== "" && !isLong(json.length);
        const start = isHeld || json === "" ? {} : { start: startOf(json) };
        succeeded.push({ entry, value: isHeld ? (JSON.parse(json) as unknown) : undefined, ...start });
      }
    },
  };
}

/** Maximum characters of a result that is parsed for its start. */
const maxParsed = 1_000_000;

function startOf(json: string): string {
  const isText = json.startsWith('{"text":') && json.length <= maxParsed;
  const text = isText ? resultText(JSON.parse(json)) : json;
  return text.slice(0, maxStart).toWellFormed();
}
