import type { Wait } from "../report/wait.ts";

/** An issue as its pack keeps it. */
export interface FoundIssue {
  readonly closed: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Answers by the path of their step. */
export type Answers = Readonly<Record<string, unknown>>;

interface RunWaitsOptions {
  readonly answers?: Answers | undefined;
  /** The waits of the run that this one resumes. */
  readonly waits?: readonly Wait[] | undefined;
  /** Reads an issue as the run's caller. Undefined if there is none. */
  readonly findIssue: (id: string) => Promise<FoundIssue | undefined>;
}

export type RunWaits = ReturnType<typeof createRunWaits>;

/** What a run waits for, and the answers that it has. */
export function createRunWaits({ answers = {}, waits: earlier = [], findIssue }: RunWaitsOptions) {
  const waits: Wait[] = [];
  const known = [...Object.keys(answers), ...earlier.map(({ step }) => step)];
  return {
    /** The answer to the question of a step. */
    answer: (path: string) => (Object.hasOwn(answers, path) ? { value: answers[path] } : undefined),
    /** What a step waited for when an earlier run ended. */
    before: (path: string) => earlier.find(({ step }) => step === path),
    /** Whether an earlier run waited in the fallback of a step. The step itself has failed then. */
    isInFallback: (path: string) => known.some((one) => one.startsWith(`${path}/fallback/`)),
    /** Adds what a step waits for. The run ends when its other steps have. */
    add: (wait: Wait) => void waits.push(wait),
    findIssue,
    /** The waits so far. */
    all: (): readonly Wait[] => waits,
  };
}
