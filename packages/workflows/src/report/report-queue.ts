import { ToolError, type Store } from "@toolpacks/core";
import type { z } from "zod";
import { reportKind } from "./report-kind.ts";

type Head = z.output<typeof reportKind.schema>;
type UnnumberedHead = Omit<Head, "run" | "written">;

/**
 * A write-behind queue for reports of runs that changed nothing and succeeded. Each takes a run number that was reserved
 * by an earlier write.
 */
export interface ReportQueue {
  /** Adds a report and returns its run's number. Undefined when no number is reserved. */
  add(head: UnnumberedHead, workspace: string): number | undefined;
  /** Whether there were too few numbers lately. */
  wantsNumber(): boolean;
  /** Reserves a generation of this process for a later run. */
  keepNumber(generation: number): void;
  /** Resolves when every report is on disk, or cannot be written. Never rejects. */
  flush(): Promise<void>;
}

/** Maximum time before a report is written. */
const delayMs = 20;
/** A batch of this size is written at once, without the delay. */
const maxWaiting = { reports: 200, characters: 4_000_000 };
const maxNumbers = 64;

interface Waiting {
  readonly head: Omit<Head, "written">;
  readonly workspace: string;
}

/** @param onError called when reports cannot be written; the next flush tries again */
export function createReportQueue(store: Store, onError: (error: unknown) => void): ReportQueue {
  const numbers: number[] = [];
  /** Number of runs without a reserved number since the last one was added. */
  let missing = 0;
  let waiting: Waiting[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** Whether writes fail. Reports are then not queued. */
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
      // Drops a report that the store rejects, so that the others are written.
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

/** @returns the generations of the writes, each reserved for a later run */
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
      // A report of that number was imported. The other reports are still written.
      if (!(ToolError.is(error) && error.code === "conflict")) throw error;
    }
  }
  return taken;
}
