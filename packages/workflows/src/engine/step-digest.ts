import { isLong, type Entry } from "../report/entry.ts";

/** Maximum steps in an answer. The report has all. */
const maxSteps = 20;

/** A step with a result. */
export interface SucceededStep {
  readonly entry: Entry;
  /** The result, if it is short. */
  readonly value: unknown;
}

/** The steps that an answer shows. */
export interface StepDigest {
  /** Failed steps, and in a dry run the steps that would have run. */
  readonly shown: readonly Entry[];
  readonly succeeded: readonly SucceededStep[];
  /** @param json the step's result, if any */
  readonly add: (entry: Entry, json: string | undefined) => void;
}

export function createStepDigest(): StepDigest {
  const shown: Entry[] = [];
  const succeeded: SucceededStep[] = [];
  return {
    shown,
    succeeded,
    add(entry, json = "") {
      const { status } = entry;
      if ((status === "failed" || status === "dry") && shown.length < maxSteps) shown.push(entry);
      if ((status === "ok" || status === "cached") && succeeded.length < maxSteps) {
        const isHeld = json !== "" && !isLong(json.length);
        succeeded.push({ entry, value: isHeld ? (JSON.parse(json) as unknown) : undefined });
      }
    },
  };
}
