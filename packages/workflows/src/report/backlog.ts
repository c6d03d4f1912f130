import { ToolError, type Store } from "@toolpacks/core";
import type { z } from "zod";
import { reportKind } from "./report-kind.ts";

type Head = z.output<typeof reportKind.schema>;
type UnnumberedHead = Omit<Head, "run" | "written">;

/**
 * Reports of runs that changed nothing and went well, which are written together soon after their answers. Their numbers
 * were taken before: a report's write takes a generation that nothing else is called by, and the next run may be.
 */
export interface Backlog {
  /** Takes a report to be written, and answers its run's number; undefined where none was taken beforehand. */
  add(head: UnnumberedHead, workspace: string): number | undefined;
  /** Whether there were too few numbers lately. */
  wantsNumber(): boolean;
  /** Keeps a generation that this process has taken, for a run to come. */
  keepNumber(generation: number): void;
  /** Resolves when everything that was added is on disk, or cannot be written. Never rejects. */
  flush(): Promise<void>;
}

/** How long a report may be unwritten. */
const delayMs = 20;
/** So much unwritten is written at once. */
const maxWaiting = { reports: 200, characters: 4_000_000 };
const maxNumbers = 64;

interface Waiting {
  readonly head: Omit<Head, "written">;
  readonly workspace: string;
}

/** @param onError told when reports cannot be written; they are tried again with what comes next */
export function createBacklog(store: Store, onError: (error: unknown) => void): Backlog {
  const numbers: number[] = [];
  /** How many runs found no number since one was added. */
  let missing = 0;
  let waiting: Waiting[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** While nothing can be written, no report is put off. */
  let hasFailed = false;

  const write = async () => {
    const batch = waiting;
    waiting = [];
    characters = 0;
    if (batch.length === 0) return;
    try {
      numbers.push(...(await store.transaction((inside) => writeReports(inside, batch))));
      numbers.splice(maxNumbers);
      hasFailed = false;
    } catch (error) {
      // What the store will never take must not keep the rest out.
      if (isUnavailable(error)) waiting = [...batch, ...waiting];
      hasFailed = true;
      onError(error);
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) writing = writing.then(write);
    return writing;
  };
  store.beforeEnd(flush);
  return {
    add(head, workspace) {
      if (hasFailed) return undefined;
      const run = numbers.shift();
      missing += Number(run === undefined);
      if (run === undefined) return undefined;
      waiting.push({ head: { ...head, run }, workspace });
      characters += head.plan.length + (head.steps?.length ?? 0);
      if (waiting.length >= maxWaiting.reports || characters > maxWaiting.characters) void flush();
      else timer ??= setTimeout(() => void flush(), delayMs);
      return run;
    },
    wantsNumber: () => missing > 0 && numbers.length < maxNumbers,
    keepNumber(generation) {
      numbers.push(generation);
      missing = 0;
    },
    flush,
  };
}

function isUnavailable(error: unknown): boolean {
  return ToolError.is(error) && error.code === "unavailable";
}

/** @returns the generations that the writes took, each for a run to come */
async function writeReports(store: Store, batch: readonly Waiting[]): Promise<readonly number[]> {
  const taken: number[] = [];
  for (const { head, workspace } of batch) {
    const written = (await store.generation()) + 1;
    try {
      const { generation } = await store
        .in(workspace)
        .put(reportKind, { ...head, written }, { id: String(head.run), ifGeneration: 0 });
      taken.push(generation);
    } catch (error) {
      // Somebody imported a report of that number; whoever waits for the others need not suffer for it.
      if (!(ToolError.is(error) && error.code === "conflict")) throw error;
    }
  }
  return taken;
}
