import type { Entry } from "../report/entry.ts";

/** At most so many steps are told of in an answer; the report has all. */
const maxSteps = 20;
/** A longer result of a succeeded step is not held for the answer: the report has it. */
const maxHeldResult = 4_000;

/** A step that left a result. */
export interface SucceededStep {
  readonly entry: Entry;
  /** The result, where it is short. */
  readonly value: unknown;
}

/** What an answer tells of the steps of a run. */
export interface StepDigest {
  /** What failed, and in a dry run what would have run. */
  readonly told: readonly Entry[];
  readonly succeeded: readonly SucceededStep[];
  /** @param json the step's result, where it left one */
  readonly add: (entry: Entry, json: string | undefined) => void;
}

export function createStepDigest(): StepDigest {
  const told: Entry[] = [];
  const succeeded: SucceededStep[] = [];
  return {
    told,
    succeeded,
    add(entry, json = "") {
      const { status } = entry;
      if ((status === "failed" || status === "dry") && told.length < maxSteps) told.push(entry);
      if ((status === "ok" || status === "cached") && succeeded.length < maxSteps) {
        const isHeld = json !== "" && json.length <= maxHeldResult;
        succeeded.push({ entry, value: isHeld ? (JSON.parse(json) as unknown) : undefined });
      }
    },
  };
}
