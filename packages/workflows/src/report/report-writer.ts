import type { Store, Stored } from "@toolpacks/core";
import type { z } from "zod";
import { yieldToEventLoop } from "../expressions/short-turns.ts";
import type { Reports } from "./reports.ts";
import { isLong, readHandle, writeParts } from "./kept-result.ts";
import { reportStepKind } from "./kept-kinds.ts";
import { isMaskedAt, maskJson, maskResumed, maskStep, maskSteps } from "./mask-report.ts";
import { hold, owner } from "./owner.ts";
import { planDigest } from "./plan.ts";
import type { KeptStep } from "./read-report.ts";
import { reportKind } from "./report-kind.ts";
import type { UnwrittenStep } from "./unwritten-step.ts";

type Head = z.output<typeof reportKind.schema>;

/** The data of a run before it begins. */
export type Beginning = Pick<Head, "workflow" | "plan"> & { readonly resumes?: Stored<Head> };

/** The end of a run. */
export type Ending = Pick<Head, "status" | "counts"> & Partial<Pick<Head, "reason" | "last">>;

/** A short run that ends before the first write is stored as one record. */
const maxInlineCharacters = 200_000;

/** Writes the report of one run in batches of steps. */
export interface ReportWriter {
  /** The run's generation. Undefined before the first write. */
  run(): number | undefined;
  /** Writes steps and the state of the run, after the write in progress. */
  write(steps: readonly UnwrittenStep[], ending: Ending | undefined): Promise<void>;
  /** Queues the report of an ended run and returns its generation. Undefined when it must be written now. */
  putOff(steps: readonly UnwrittenStep[], ending: Ending): number | undefined;
  /** Releases this process's ownership of the run. */
  release(): void;
}

export function createReportWriter({ store, queue }: Reports, beginning: Beginning): ReportWriter {
  const { workspace } = store;
  const started = new Date().toISOString();
  let hasBegun = false;
  let run: number | undefined;
  let release = () => {};
  let last: Promise<unknown> = Promise.resolve();

  async function writeNow(steps: readonly UnwrittenStep[], ending: Ending | undefined): Promise<void> {
    // Reports are ordered by when their runs ended or were first written.
    await queue.flush();
    const { number, spare } = await store.transaction(async (inside) => {
      const isNew = run === undefined;
      const claims = isNew ? beginning.resumes : undefined;
      // The generation of the next write, or the one after it.
      const mine = run ?? (await inside.generation()) + (claims === undefined ? 1 : 2);
      if (claims !== undefined) await claim(inside, claims, mine);
      const isMasked = ending !== undefined && isMaskedAt(ending.status);
      const kept = isMasked ? await maskSlowly(steps) : steps;
      const together = isNew && ending !== undefined ? keptTogether(kept) : undefined;
      const numbered = { run: mine, written: mine, ...describe(beginning, { started, ending }) };
      const head = { ...numbered, ...(together && { steps: together }) };
      const id = String(mine);
      await inside.put(reportKind, head, { id, ...(isNew && { ifGeneration: 0 }) });
      if (together === undefined) await writeSteps(inside, mine, kept);
      if (isMasked && !isNew) await maskSteps(inside, mine);
      if (ending === undefined || !queue.wantsNumber()) return { number: mine };
      return { number: mine, spare: (await inside.put(reportKind, head, { id })).generation };
    });
    if (run === undefined) release = hold(number);
    run = number;
    if (spare !== undefined) queue.keepNumber(spare);
    if (beginning.resumes !== undefined && ending !== undefined && isMaskedAt(ending.status)) {
      await maskResumed(store, number);
    }
  }

  return {
    run: () => run,
    async write(steps, ending) {
      hasBegun = true;
      const writing = last.then(() => writeNow(steps, ending));
      last = writing.catch(() => {});
      await writing;
    },
    putOff(steps, ending) {
      // A run that succeeded before the first write changed nothing and cannot be resumed.
      if (hasBegun || (ending.status !== "ok" && ending.status !== "dry")) return undefined;
      if (!fitTogether(steps)) return undefined;
      const together = keptTogether(steps.map(maskStep));
      if (together === undefined) return undefined;
      return queue.add({ ...describe(beginning, { started, ending }), steps: together }, workspace);
    },
    release: () => release(),
  };
}

function describe(
  { workflow, plan, resumes }: Beginning,
  { started, ending }: Pick<Head, "started"> & { readonly ending: Ending | undefined },
): Omit<Head, "run" | "written"> {
  const now = new Date().toISOString();
  const isMasked = ending !== undefined && isMaskedAt(ending.status);
  return {
    workflow,
    // A run that is over is not resumed, so its plan is masked.
    ...(isMasked
      ? { plan: maskJson(plan), masked: true as const }
      : { plan, planDigest: planDigest({ workflow, plan }) }),
    started,
    heartbeat: now,
    owner,
    ...(resumes && { resumes: resumes.data.run }),
    ...(ending === undefined ? { status: "running" as const, counts: {} } : { ...ending, ended: now }),
  };
}

/** Whether the results are small enough for the report's own record. */
function fitTogether(steps: readonly UnwrittenStep[]): boolean {
  let left = maxInlineCharacters;
  return steps.every(({ json = "" }) => (left -= json.length) >= 0 && !isLong(json));
}

/** Steps for the report's own record. Undefined when they are too large for it. */
function keptTogether(steps: readonly UnwrittenStep[]): string | undefined {
  if (!fitTogether(steps)) return undefined;
  const kept = steps.map(({ entry, order, json }): KeptStep => ({
    entry,
    order,
    ...(json !== undefined && { result: json }),
  }));
  const text = JSON.stringify(kept);
  return text.length <= maxInlineCharacters ? text : undefined;
}

/** Masks steps, and yields to the event loop between them. */
async function maskSlowly(steps: readonly UnwrittenStep[]): Promise<readonly UnwrittenStep[]> {
  const masked: UnwrittenStep[] = [];
  for (const step of steps) {
    await yieldToEventLoop();
    masked.push(maskStep(step));
  }
  return masked;
}

/** Writes steps, and yields to the event loop between them. A store may write without yielding. */
async function writeSteps(store: Store, report: number, steps: readonly UnwrittenStep[]): Promise<void> {
  for (const step of steps) {
    await yieldToEventLoop();
    await writeStep(store, report, step);
  }
}

async function writeStep(store: Store, report: number, { entry, order, json }: UnwrittenStep): Promise<void> {
  const { handle } = entry;
  await store.put(reportStepKind, {
    report,
    path: entry.step,
    order,
    entry: JSON.stringify(entry),
    ...(json !== undefined && handle === undefined && { result: json }),
  });
  // The long result of a step from an earlier run stays in that run's report.
  if (json !== undefined && handle !== undefined && readHandle(handle).report === report) {
    await writeParts(store, { report, path: entry.step }, json);
  }
}

/** Claims a run that ended early. Only one of several callers succeeds. */
async function claim(store: Store, before: Stored<Head>, by: number): Promise<void> {
  const { id, generation, data } = before;
  const status = data.status === "running" ? ("interrupted" as const) : data.status;
  await store.put(reportKind, { status, resumedBy: by }, { id, patch: true, ifGeneration: generation });
}
