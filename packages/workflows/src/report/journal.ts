import { ToolError, type Failure } from "@toolpacks/core";
import pLimit from "p-limit";
import { isLong, type Entry, type FinishedStep } from "./entry.ts";
import { newHandle } from "./kept-result.ts";
import { heartbeatMs, runningHere } from "./owner.ts";
import { createReportWriter, type Beginning, type Ending, type ReportWriter } from "./report-writer.ts";
import type { Reports } from "./reports.ts";

export interface EndedReport {
  /** Its id, and the generation of its last write. Undefined when there is none. */
  readonly report: { readonly id: string; readonly generation: number } | undefined;
  /** Why the report is missing or incomplete. */
  readonly unkept: Failure | undefined;
}

/** Interval at which entries are written, in ms. */
const flushMs = 250;
/** Time in ms within which the entry of a call that changed something is written, unless a next change writes it before. */
const soonMs = 10;
/** Number of entries that are written at once. */
const maxPending = { steps: 500, characters: 8_000_000 };

export type Journal = ReturnType<typeof createJournal>;

/**
 * Writes the report of a running workflow. Entries of steps that only read are written within 250 ms. A step that changes something waits until
 * all entries before it are on disk. When the report cannot be written, the run changes nothing more, and still returns its results.
 *
 * @param onBug called with an error of the store that is not a ToolError
 */
export function createJournal(reports: Reports, beginning: Beginning, onBug: (error: unknown) => void) {
  const writer = createReportWriter(reports.store, beginning);
  const { id } = writer;
  const queue = createQueue(writer, new Map(Object.entries(beginning.resumes?.data.pending ?? {})));
  let unkept: Failure | undefined;
  let soon: NodeJS.Timeout | undefined;

  function failWith(error: unknown): void {
    if (!ToolError.is(error)) onBug(error);
    const { code, message } = ToolError.is(error)
      ? error
      : ({ code: "internal", message: "the store failed inside the server" } as const);
    unkept ??= { code, message: `the report cannot be written: ${message}` };
  }

  // The next write tries again.
  const timer = setInterval(() => void queue.write().catch(() => {}), flushMs).unref();
  const stop = () => {
    clearInterval(timer);
    runningHere.delete(id);
  };
  runningHere.add(id);
  return {
    /** The report's id. */
    id,
    /** Claims what the run begins with. @throws ToolError `conflict` when another process has begun it */
    claim: (): Promise<void> =>
      queue.write().catch((error: unknown) => {
        stop();
        throw error;
      }),
    /** Keeps that a call begins, with the next write. It is done when its entry is added. */
    begin: (path: string): void => queue.begin(path, id),
    /** Resolves when all entries so far are on disk. @throws ToolError when the report cannot be written */
    async flush(): Promise<void> {
      clearTimeout(soon);
      soon = undefined;
      if (unkept === undefined) await queue.write().catch(failWith);
      if (unkept !== undefined) throw new ToolError(unkept.code, unkept.message);
    },
    /**
     * @param isDurable whether the step must be on disk before the run continues
     * @returns the reported entry, with the handle of a long result
     */
    async add({ entry, order, json }: FinishedStep, isDurable: boolean): Promise<Entry> {
      const sized = json === undefined ? entry : { ...entry, size: json.length };
      if (unkept !== undefined) return sized;
      const isHandle = json !== undefined && isLong(json.length);
      const reported: Entry = isHandle ? { ...sized, handle: newHandle() } : sized;
      const hasBegun = queue.end(reported.step);
      const isFull = queue.add({ entry: reported, order, json });
      if (isDurable || isFull) await queue.write().catch(failWith);
      else if (hasBegun)
        soon ??= setTimeout(() => (void queue.write().catch(() => {}), (soon = undefined)), soonMs).unref();
      return unkept === undefined ? reported : sized;
    },
    /** Resolves when everything is on disk, or cannot be written. */
    async end(ending: Ending): Promise<EndedReport> {
      clearInterval(timer);
      await queue.write(ending).catch(failWith);
      stop();
      reports.removeOld();
      const generation = queue.generation();
      return { report: generation === undefined ? undefined : { id, generation }, unkept };
    },
  };
}

/** The steps that are not on disk, and the calls that have begun. */
function createQueue(writer: ReportWriter, pending: Map<string, string>) {
  let hasBegun = false;
  let steps: FinishedStep[] = [];
  let characters = 0;
  let written: { readonly generation: number; readonly at: number } | undefined;
  const inTurn = pLimit(1);

  async function writeNow(ending: Ending | undefined): Promise<void> {
    const isFresh = written !== undefined && Date.now() - written.at < heartbeatMs;
    if (ending === undefined && isFresh && steps.length === 0 && !hasBegun) return;
    const batch = steps;
    steps = [];
    characters = 0;
    hasBegun = false;
    const [at, isNew] = [Date.now(), written === undefined];
    try {
      written = { at, generation: await writer.write(batch, { ending, isNew, pending: Object.fromEntries(pending) }) };
    } catch (error) {
      steps = [...batch, ...steps];
      hasBegun = true;
      throw error;
    }
  }

  return {
    generation: () => written?.generation,
    begin(path: string, report: string): void {
      pending.set(path, report);
      hasBegun = true;
    },
    /** Returns whether the call had begun. */
    end: (path: string): boolean => pending.delete(path),
    /** Writes what is pending after the write in progress. Steps that cannot be written stay pending. */
    write: (ending?: Ending): Promise<void> => inTurn(() => writeNow(ending)),
    /** Returns whether there is enough for a write. */
    add(step: FinishedStep): boolean {
      steps.push(step);
      characters += step.json?.length ?? 0;
      return steps.length > maxPending.steps || characters > maxPending.characters;
    },
  };
}
