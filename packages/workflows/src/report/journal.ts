import type { Store, Stored } from "@toolpacks/core";
import type { z } from "zod";
import type { Entry } from "./entry.ts";
import { handleOf, isLong, readHandle, writeParts } from "./kept-result.ts";
import { heartbeatMs, hold, owner } from "./owner.ts";
import { reportKind, reportStepKind } from "./report-kind.ts";

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

interface Pending {
  readonly entry: Entry;
  readonly order: string;
  readonly json: string | undefined;
}

/** Begins a report. Nothing is written before there is a reason to. */
export function createJournal(store: Store, beginning: Beginning): Journal {
  const started = new Date().toISOString();
  let run: number | undefined;
  let release = () => {};
  let pending: Pending[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const heartbeat = setInterval(() => void write().catch(() => {}), heartbeatMs).unref();

  const head = (ending?: Ending) => ({
    run: run ?? 0,
    workflow: beginning.workflow,
    started,
    heartbeat: new Date().toISOString(),
    owner,
    plan: beginning.plan,
    ...(beginning.resumes && { resumes: beginning.resumes.data.run }),
    ...(ending === undefined
      ? { status: "running" as const, counts: {} }
      : { ...ending, ended: new Date().toISOString() }),
  });

  async function write(ending?: Ending): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const steps = pending;
    pending = [];
    characters = 0;
    const writing = last.then(async () => {
      const number = await store.transaction(async (inside) => {
        const isNew = run === undefined;
        const claims = isNew ? beginning.resumes : undefined;
        // The generation that the next write takes, or the one after it.
        const mine = run ?? (await inside.generation()) + (claims === undefined ? 1 : 2);
        if (claims !== undefined) await claim(inside, claims, mine);
        await inside.put(
          reportKind,
          { ...head(ending), run: mine },
          { id: String(mine), ...(isNew && { ifGeneration: 0 }) },
        );
        for (const step of steps) await writeStep(inside, mine, step);
        return mine;
      });
      if (run === undefined) release = hold(number);
      run = number;
    });
    last = writing.catch(() => {});
    try {
      await writing;
    } catch (error) {
      pending = [...steps, ...pending];
      throw error;
    }
  }

  return {
    async flush() {
      if (run === undefined || pending.length > 0) await write();
    },
    async add({ entry, order, json, durable }) {
      if (json !== undefined && isLong(json) && run === undefined) await write();
      const reported: Entry = {
        ...entry,
        ...(json !== undefined && { size: json.length }),
        ...(json !== undefined && isLong(json) && { handle: handleOf(run ?? 0, entry.step) }),
      };
      pending.push({ entry: reported, order, json });
      characters += json?.length ?? 0;
      if (durable || pending.length > mostPending.steps || characters > mostPending.characters) await write();
      else timer ??= setTimeout(() => void write().catch(() => {}), delayMs);
      return reported;
    },
    async end(ending) {
      try {
        await write(ending);
        return run ?? 0;
      } finally {
        clearInterval(heartbeat);
        clearTimeout(timer);
        release();
      }
    },
  };
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
