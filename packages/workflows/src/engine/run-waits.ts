import type { Wait } from "../report/wait.ts";

/** An issue as its pack keeps it. */
export interface FoundIssue {
  readonly closed: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a run waits for, and the answers that it has. */
export interface RunWaits {
  /** The answer to the question of a step. */
  readonly answer: (path: string) => { readonly value: unknown } | undefined;
  /** What a step waited for when an earlier run ended. */
  readonly before: (path: string) => Wait | undefined;
  /** Whether an earlier run waited in the fallback of a step. The step itself has failed then. */
  readonly isInFallback: (path: string) => boolean;
  /** Adds what a step waits for. The run ends when its other steps have. */
  readonly add: (wait: Wait) => void;
  /** Reads an issue as the run's caller. Undefined if there is none. */
  readonly findIssue: (id: string) => Promise<FoundIssue | undefined>;
  /** The waits so far. */
  readonly all: () => readonly Wait[];
}

/** Answers by the path of their step. */
export type Answers = Readonly<Record<string, unknown>>;

interface RunWaitsOptions extends Pick<RunWaits, "findIssue"> {
  readonly answers?: Answers | undefined;
  /** The waits of the run that this one resumes. */
  readonly waits?: readonly Wait[] | undefined;
}

export function createRunWaits({ answers = {}, waits: earlier = [], findIssue }: RunWaitsOptions): RunWaits {
  const waits: Wait[] = [];
  const known = [...Object.keys(answers), ...earlier.map(({ step }) => step)];
  return {
    answer: (path) => (Object.hasOwn(answers, path) ? { value: answers[path] } : undefined),
    before: (path) => earlier.find(({ step }) => step === path),
    isInFallback: (path) => known.some((one) => one.startsWith(`${path}/fallback/`)),
    add: (wait) => void waits.push(wait),
    findIssue,
    all: () => waits,
  };
}
