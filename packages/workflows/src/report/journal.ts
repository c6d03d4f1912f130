import type { Store, Stored } from "@toolpacks/core";
import type { z } from "zod";
import type { Entry } from "./entry.ts";
import type { KeptStep } from "./read-report.ts";
import { handleOf, isLong, readHandle, writeParts } from "./kept-result.ts";
import { heartbeatMs, hold, owner } from "./owner.ts";
import { reportStepKind } from "./kept-kinds.ts";
import { reportKind } from "./report-kind.ts";

type Head = z.output<typeof reportKind.schema>;

/** What is known of a run before it begins. */
export type Beginning = Pick<Head, "workflow" | "plan"> & { readonly resumes?: Stored<Head> };

/** How a run ended. */
export type Ending = Pick<Head, "status" | "counts"> & Partial<Pick<Head, "reason" | "last">>;

/**
 * Writes a report while its run goes on. What changes nothing may be run again after a crash, so steps that only read are
 * written soon and together; whatever changes something waits until all before it is on disk.
 */
export interface Journal {
  /** Resolves when everything so far is on disk. */
  flush(): Promise<void>;
  /** @returns the entry as it is reported: with the handle of a long result */
  add(step: FinishedStep): Promise<Entry>;
  /** Resolves to the run's generation, with everything on disk. */
  end(ending: Ending): Promise<number>;
}

export interface FinishedStep {
  readonly entry: Entry;
  readonly order: string;
  /** The result's, where there is one and it is not kept already. */
  readonly json: string | undefined;
  /** Whether it must be on disk before anything else happens. */
  readonly durable: boolean;
}

/** How long what only read may be unwritten. */
const delayMs = 20;
/** So much unwritten is written at once. */
const mostPending = { steps: 500, characters: 8_000_000 };

/** A short run that is over before anything was written is one record, steps and all. */
const mostTogether = 200_000;

interface Pending {
  readonly entry: Entry;
  readonly order: string;
  readonly json: string | undefined;
}

/** Begins a report. Nothing is written before there is a reason to. */
export function createJournal(store: Store, beginning: Beginning): Journal {
  const writer = createWriter(store, beginning);
  let pending: Pending[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;

  async function write(ending?: Ending): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const steps = pending;
    pending = [];
    characters = 0;
    try {
      await writer.write(steps, ending);
    } catch (error) {
      pending = [...steps, ...pending];
      throw error;
    }
  }

  // What cannot be written now is tried again with what comes next.
  const writeSoon = () => void write().catch(() => {});
  const heartbeat = setInterval(writeSoon, heartbeatMs).unref();
  return {
    async flush() {
      if (writer.run() === undefined || pending.length > 0) await write();
    },
    async add({ entry, order, json, durable }) {
      const isKept = json !== undefined && isLong(json);
      if (isKept && writer.run() === undefined) await write();
      const reported: Entry = {
        ...entry,
        ...(json !== undefined && { size: json.length }),
        ...(isKept && { handle: handleOf(writer.run() ?? 0, entry.step) }),
      };
      pending.push({ entry: reported, order, json });
      characters += json?.length ?? 0;
      if (durable || pending.length > mostPending.steps || characters > mostPending.characters) await write();
      else timer ??= setTimeout(writeSoon, delayMs);
      return reported;
    },
    async end(ending) {
      clearInterval(heartbeat);
      try {
        await write(ending);
        return writer.run() ?? 0;
      } finally {
        clearTimeout(timer);
        writer.release();
      }
    },
  };
}

interface Writer {
  /** The run's generation, once something is written. */
  run(): number | undefined;
  /** Writes steps and the state of the run, after whatever is being written. */
  write(steps: readonly Pending[], ending: Ending | undefined): Promise<void>;
  /** Says that this process is no longer at work on it. */
  release(): void;
}

function createWriter(store: Store, beginning: Beginning): Writer {
  const started = new Date().toISOString();
  let run: number | undefined;
  let release = () => {};
  let last: Promise<unknown> = Promise.resolve();

  async function writeNow(steps: readonly Pending[], ending: Ending | undefined): Promise<void> {
    const number = await store.transaction(async (inside) => {
      const isNew = run === undefined;
      const claims = isNew ? beginning.resumes : undefined;
      // The generation that the next write takes, or the one after it.
      const mine = run ?? (await inside.generation()) + (claims === undefined ? 1 : 2);
      if (claims !== undefined) await claim(inside, claims, mine);
      const together = isNew && ending !== undefined ? keptTogether(steps) : undefined;
      const head = { ...describe(beginning, { run: mine, started, ending }), ...(together && { steps: together }) };
      await inside.put(reportKind, head, { id: String(mine), ...(isNew && { ifGeneration: 0 }) });
      if (together === undefined) for (const step of steps) await writeStep(inside, mine, step);
      return mine;
    });
    if (run === undefined) release = hold(number);
    run = number;
  }

  return {
    run: () => run,
    async write(steps, ending) {
      const writing = last.then(() => writeNow(steps, ending));
      last = writing.catch(() => {});
      await writing;
    },
    release: () => release(),
  };
}

function describe(
  { workflow, plan, resumes }: Beginning,
  { run, started, ending }: Pick<Head, "run" | "started"> & { readonly ending: Ending | undefined },
): Head {
  const now = new Date().toISOString();
  return {
    run,
    workflow,
    plan,
    started,
    heartbeat: now,
    owner,
    ...(resumes && { resumes: resumes.data.run }),
    ...(ending === undefined ? { status: "running" as const, counts: {} } : { ...ending, ended: now }),
  };
}

/** Steps as the report's own record keeps them; undefined where they are too much for it. */
function keptTogether(steps: readonly Pending[]): string | undefined {
  if (steps.some(({ json }) => json !== undefined && isLong(json))) return undefined;
  const kept = steps.map(({ entry, order, json }): KeptStep => ({
    entry,
    order,
    ...(json !== undefined && { result: json }),
  }));
  const text = JSON.stringify(kept);
  return text.length <= mostTogether ? text : undefined;
}

async function writeStep(store: Store, report: number, { entry, order, json }: Pending): Promise<void> {
  const { handle } = entry;
  await store.put(reportStepKind, {
    report,
    path: entry.step,
    order,
    entry: JSON.stringify(entry),
    ...(json !== undefined && handle === undefined && { result: json }),
  });
  // A step taken over from an earlier run leaves its long result there.
  if (json !== undefined && handle !== undefined && readHandle(handle).report === report) {
    await writeParts(store, { report, path: entry.step }, json);
  }
}

/** Takes over a run that ended early. Of several who try, one succeeds. */
async function claim(store: Store, before: Stored<Head>, by: number): Promise<void> {
  const { id, generation, data } = before;
  const status = data.status === "running" ? ("interrupted" as const) : data.status;
  await store.put(reportKind, { status, resumedBy: by }, { id, patch: true, ifGeneration: generation });
}
