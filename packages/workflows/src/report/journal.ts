import { isLong, type Entry, type FinishedStep } from "./entry.ts";
import { newHandle } from "./kept-result.ts";
import { heartbeatMs, runningHere } from "./owner.ts";
import { createReportWriter, type Beginning, type Ending, type ReportWriter } from "./report-writer.ts";
import type { Reports } from "./reports.ts";

/**
 * Writes the report of a running workflow. Entries of steps that only read are written soon, in batches. A step that changes
 * something waits until all entries before it are on disk.
 */
export interface Journal {
  /** The report's id. */
  readonly id: string;
  /** The report, if it is on disk. */
  written(): WrittenReport | undefined;
  /** Resolves when all entries so far are on disk. */
  flush(): Promise<void>;
  /**
   * @param isDurable whether the step must be on disk before the run continues
   * @returns the reported entry, with the handle of a long result
   */
  add(step: FinishedStep, isDurable: boolean): Promise<Entry>;
  /** Resolves when everything is on disk, or is queued because the run changed nothing. */
  end(ending: Ending): Promise<WrittenReport>;
  /** Ends a run that could not begin. Writes nothing. */
  abandon(): void;
}

export interface WrittenReport {
  readonly id: string;
  /** The generation of its last write. Undefined while the report is queued. */
  readonly generation?: number;
}

/** Maximum time before entries of reading steps are written. */
const delayMs = 20;
/** A run that takes longer is in the list of reports while it runs. A shorter one costs one write at its end. */
const firstWriteMs = 250;
/** Number of entries that are written at once. */
const maxPending = { steps: 500, characters: 8_000_000 };

/** Starts a report. The first write happens after 250 ms, or earlier when there is something to write. */
export function createJournal(reports: Reports, beginning: Beginning): Journal {
  const writer = createReportWriter(reports, beginning);
  const { id } = writer;
  const pending = createPending(writer);
  const firstWrite = setTimeout(() => {
    if (writer.generation() === undefined) pending.writeSoon();
  }, firstWriteMs).unref();
  const heartbeat = setInterval(pending.writeSoon, heartbeatMs).unref();
  const stopTimers = () => {
    clearTimeout(firstWrite);
    clearInterval(heartbeat);
  };
  runningHere.add(id);
  const written = () => {
    const generation = writer.generation();
    return generation === undefined ? undefined : { id, generation };
  };
  const abandon = () => {
    stopTimers();
    pending.stop();
    runningHere.delete(id);
  };
  return {
    id,
    written,
    abandon,
    flush: pending.flush,
    async add({ entry, order, json }, isDurable) {
      const reported: Entry = {
        ...entry,
        ...(json !== undefined && { size: json.length }),
        ...(json !== undefined && isLong(json.length) && { handle: newHandle() }),
      };
      await pending.add({ entry: reported, order, json }, isDurable);
      return reported;
    },
    async end(ending) {
      stopTimers();
      try {
        if (writer.writeLate(pending.steps(), ending)) return { id };
        await pending.write(ending);
        return written() ?? { id };
      } finally {
        abandon();
      }
    },
  };
}

/** Finished steps that are not on disk yet. */
function createPending(writer: ReportWriter) {
  let steps: FinishedStep[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  async function writeAll(ending: Ending | undefined): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batch = steps;
    steps = [];
    characters = 0;
    try {
      await writer.write(batch, ending);
    } catch (error) {
      steps = [...batch, ...steps];
      throw error;
    }
  }

  function write(ending?: Ending): Promise<void> {
    const mine = writeAll(ending);
    writing = Promise.allSettled([writing, mine]);
    return mine;
  }

  async function flush(): Promise<void> {
    const begun = writing;
    await begun;
    // Another write started in the meantime. If it fails, its steps stay pending.
    if (begun !== writing) return flush();
    if (writer.generation() === undefined || writer.mayBeResumed() || steps.length > 0) await write();
  }

  // The next flush tries again.
  const writeSoon = () => void write().catch(() => {});
  return {
    steps: () => steps,
    write,
    writeSoon,
    flush,
    async add(step: FinishedStep, isDurable: boolean): Promise<void> {
      steps.push(step);
      characters += step.json?.length ?? 0;
      if (isDurable || steps.length > maxPending.steps || characters > maxPending.characters) await write();
      else timer ??= setTimeout(writeSoon, delayMs);
    },
    stop: () => clearTimeout(timer),
  };
}
