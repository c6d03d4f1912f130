import type { Reports } from "./reports.ts";
import type { Entry } from "./entry.ts";
import { handleOf, isLong } from "./kept-result.ts";
import { heartbeatMs } from "./owner.ts";
import { createReportWriter, type Beginning, type Ending, type ReportWriter } from "./report-writer.ts";
import type { UnwrittenStep } from "./unwritten-step.ts";

/**
 * Writes the report of a running workflow. Entries of steps that only read are written soon, in batches. A step that changes
 * something waits until all entries before it are on disk.
 */
export interface Journal {
  /** The run's generation. Undefined before the first write. */
  run(): number | undefined;
  /** Resolves when all entries so far are on disk. */
  flush(): Promise<void>;
  /** @returns the reported entry, with the handle of a long result */
  add(step: FinishedStep): Promise<Entry>;
  /** Resolves to the run's generation when everything is on disk. */
  end(ending: Ending): Promise<number>;
}

export interface FinishedStep {
  readonly entry: Entry;
  readonly order: string;
  /** JSON of the result, if it has one that is not yet kept. */
  readonly json: string | undefined;
  /** Whether it must be on disk before the run continues. */
  readonly durable: boolean;
}

/** Maximum time before entries of reading steps are written. */
const delayMs = 20;
/** Number of entries that are written at once. */
const maxPending = { steps: 500, characters: 8_000_000 };

/** Starts a report. The first write happens when there is something to write. */
export function createJournal(reports: Reports, beginning: Beginning): Journal {
  const writer = createReportWriter(reports, beginning);
  const { workspace } = reports.store;
  const pending = createPending(writer);
  const heartbeat = setInterval(pending.writeSoon, heartbeatMs).unref();
  return {
    run: () => writer.run(),
    flush: pending.flush,
    async add({ entry, order, json, durable }) {
      const isKept = json !== undefined && isLong(json);
      if (isKept && writer.run() === undefined) await pending.write();
      const reported: Entry = {
        ...entry,
        ...(json !== undefined && { size: json.length }),
        ...(isKept && { handle: handleOf(writer.run() ?? 0, entry.step) }),
      };
      await pending.add({ entry: reported, order, json }, durable);
      return reported;
    },
    async end(ending) {
      clearInterval(heartbeat);
      try {
        const run = writer.putOff(pending.steps(), ending);
        if (run !== undefined) return run;
        await pending.write(ending);
        return writer.run() ?? 0;
      } finally {
        pending.stop();
        writer.release();
        reports.retention.ended(workspace);
      }
    },
  };
}

/** Finished steps that are not on disk yet. */
function createPending(writer: ReportWriter) {
  let steps: UnwrittenStep[] = [];
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
    if (writer.run() === undefined || steps.length > 0) await write();
  }

  // The next flush tries again.
  const writeSoon = () => void write().catch(() => {});
  return {
    steps: () => steps,
    write,
    writeSoon,
    flush,
    async add(step: UnwrittenStep, durable: boolean): Promise<void> {
      steps.push(step);
      characters += step.json?.length ?? 0;
      if (durable || steps.length > maxPending.steps || characters > maxPending.characters) await write();
      else timer ??= setTimeout(writeSoon, delayMs);
    },
    stop: () => clearTimeout(timer),
  };
}
