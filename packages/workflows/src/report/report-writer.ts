import { ToolError, type Store, type Stored } from "@toolpacks/core";
import { newRecordId, valueOwner } from "@toolpacks/store";
import type { z } from "zod";
import { yieldToEventLoop } from "@toolpacks/expressions";
import type { Entry, FinishedStep } from "./entry.ts";
import { longResult, removeRaw, writeResult, type LongResult } from "./kept-result.ts";
import { maskJson } from "./mask-json.ts";
import { isMaskedAt, maskEntry, maskResumed, maskSteps } from "./mask-report.ts";
import { leaseMs, owner } from "./owner.ts";
import { alreadyResumed, planDigest } from "./plan.ts";
import { removeWakeups, takeStart, writeWakeups } from "../clock/report-wakeups.ts";
import { waitsOf } from "./wait.ts";
import { reportKind, reportStepKind, type KeptStep } from "./report-kind.ts";
import type { Reports } from "./reports.ts";

type Head = z.output<typeof reportKind.schema>;

/** The data of a run before it begins. */
export type Beginning = Pick<Head, "workflow" | "plan"> & {
  readonly resumes?: Stored<Head>;
  /** What the resumed run waited for, as JSON. */
  readonly waits?: string;
  /** The record of the clock that starts the run. */
  readonly starts?: string;
  /** Whether the clock goes on with the run after its process was killed. */
  readonly isUnattended?: boolean;
  /** The principal whose run it is. */
  readonly caller: string;
};

/** The end of a run. */
export type Ending = Pick<Head, "status" | "counts"> & Partial<Pick<Head, "reason" | "last" | "waits">>;

/** Maximum characters of the steps in the report's own record, and of the results that are written after the response. */
const maxTogether = 200_000;

/** Writes the report of one run in batches of steps. */
export interface ReportWriter {
  /** The report's id. */
  readonly id: string;
  /** The generation of the report's last write. Undefined before the first. */
  generation(): number | undefined;
  /** Whether another server may have resumed the run, because this server has not written its heartbeat for a while. */
  mayBeResumed(): boolean;
  /** Writes steps and the state of the run, after the write in progress. */
  write(steps: readonly FinishedStep[], ending: Ending | undefined): Promise<void>;
  /** Queues the report of an ended run. Returns false if it must be written now. */
  writeLate(steps: readonly FinishedStep[], ending: Ending): boolean;
}

export function createReportWriter({ store, queue }: Reports, beginning: Beginning): ReportWriter {
  const { workspace } = store;
  const id = newRecordId();
  const owner = valueOwner(beginning.caller);
  const started = new Date().toISOString();
  let hasBegun = false;
  /** Whether a long result was written with its secrets. */
  let hasRaw = false;
  let written: { readonly generation: number; readonly at: number } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function writeReport(inside: Store, steps: readonly StepRecord[], batch: Batch): Promise<number> {
    const { ending, isNew } = batch;
    if (isNew) await claimBeginning(inside, beginning, id);
    else await requireOwn(inside, id);
    await scheduleRun(inside, beginning, { ...batch, id });
    const together = isNew && ending !== undefined ? keptTogether(steps) : undefined;
    const head = { ...describe(id, beginning, { ...batch, started }), ...(together && { steps: together }) };
    const { generation } = await inside.put(reportKind, head, { id });
    for (const step of steps) {
      // A store may write without yielding to the event loop.
      await yieldToEventLoop();
      if (together === undefined) await writeStep(inside, id, step);
      if (step.long !== undefined) await writeResult(inside, step.long, { report: id, owner });
    }
    if (isMasked(ending) && !isNew) await maskSteps(inside, id);
    if (isMasked(ending) && !isNew && hasRaw) await removeRaw(inside, id);
    return generation;
  }

  async function writeNow(steps: readonly FinishedStep[], ending: Ending | undefined): Promise<void> {
    const records = await toRecords(steps, isMasked(ending));
    hasRaw ||= records.some(({ long }) => long?.raw !== undefined);
    const batch = { ending, isNew: written === undefined, now: new Date().toISOString() };
    const at = Date.now();
    written = { generation: await store.transaction((inside) => writeReport(inside, records, batch)), at };
    if (isMasked(ending) && beginning.resumes !== undefined) await maskResumed(store, id);
  }

  return {
    id,
    generation: () => written?.generation,
    mayBeResumed: () => written !== undefined && Date.now() - written.at > leaseMs,
    async write(steps, ending) {
      hasBegun = true;
      const writing = last.then(() => writeNow(steps, ending));
      last = writing.catch(() => {});
      await writing;
      if (ending !== undefined) queue.countWrite(workspace);
    },
    writeLate(steps, ending) {
      // A run that succeeded before the first write changed nothing and cannot be resumed.
      if (hasBegun || !isMasked(ending)) return false;
      const characters = resultCharacters(steps);
      if (characters > maxTogether || showsHandle(steps, ending)) return false;
      const batch = { ending, isNew: true, now: new Date().toISOString() };
      return queue.add({
        workspace,
        bytes: 2 * (characters + beginning.plan.length) + 1_000 * (steps.length + 1),
        write: async (inside) => writeReport(inside, await toRecords(steps, true), batch),
      });
    },
  };
}

function resultCharacters(steps: readonly FinishedStep[]): number {
  return steps.reduce((sum, { json = "" }) => sum + json.length, 0);
}

/** Whether the answer has a handle, which must open at once. */
function showsHandle(steps: readonly FinishedStep[], { last }: Ending): boolean {
  return steps.some(({ entry }) => entry.step === last && entry.handle !== undefined);
}

/** One write of a report. */
interface Batch {
  readonly ending: Ending | undefined;
  /** Whether it is the report's first write. */
  readonly isNew: boolean;
  readonly now: string;
}

function isMasked(ending: Ending | undefined): ending is Ending {
  return ending !== undefined && isMaskedAt(ending.status);
}

function describe(
  id: string,
  { workflow, plan, caller, resumes, waits }: Beginning,
  { started, ending, now }: Pick<Head, "started"> & Batch,
): Head {
  return {
    workflow,
    // A run that is over is not resumed, so its plan is masked.
    ...(isMasked(ending)
      ? { plan: maskJson(plan), masked: true as const }
      : { plan, planDigest: planDigest({ id, workflow, plan }) }),
    started,
    heartbeat: now,
    owner,
    ...(caller !== "" && { caller }),
    ...(resumes && { resumes: resumes.id }),
    ...(ending === undefined
      ? { status: "running" as const, counts: {}, ...(waits !== undefined && { waits }) }
      : { ...ending, ended: now }),
  };
}

/** A step as it is written. */
interface StepRecord {
  readonly entry: Entry;
  readonly order: string;
  /** JSON of the result, if it is short. */
  readonly result?: string;
  readonly long?: LongResult;
}

/** Masks steps, and yields to the event loop between them. */
async function toRecords(steps: readonly FinishedStep[], masksAll: boolean): Promise<readonly StepRecord[]> {
  const records: StepRecord[] = [];
  for (const { entry, order, json } of steps) {
    await yieldToEventLoop();
    const { handle } = entry;
    const kept = { entry: masksAll ? maskEntry(entry) : entry, order };
    if (json === undefined) records.push(kept);
    else if (handle === undefined) records.push({ ...kept, result: masksAll ? maskJson(json) : json });
    else records.push({ ...kept, long: longResult(handle, json, !masksAll) });
  }
  return records;
}

/** The JSON of steps for the report's own record. Undefined when it is too large for that. */
function keptTogether(steps: readonly StepRecord[]): string | undefined {
  let left = maxTogether;
  if (!steps.every(({ result = "" }) => (left -= result.length) >= 0)) return undefined;
  const text = JSON.stringify(steps.map(({ long: _long, ...kept }): KeptStep => kept));
  return text.length <= maxTogether ? text : undefined;
}

async function writeStep(store: Store, report: string, { entry, order, result }: StepRecord): Promise<void> {
  const step = { report, path: entry.step, order, entry: JSON.stringify(entry) };
  await store.put(reportStepKind, { ...step, ...(result !== undefined && { result }) });
}

/** Claims what the run begins with. @throws ToolError `conflict` when another process has begun it */
async function claimBeginning(inside: Store, { starts, resumes }: Beginning, id: string): Promise<void> {
  if (starts !== undefined) await takeStart(inside, starts);
  if (resumes === undefined) return;
  await claim(inside, resumes, id);
  await removeWakeups(inside, resumes.id);
}

/** Writes when the clock looks at the run next. */
async function scheduleRun(
  inside: Store,
  { caller, isUnattended }: Beginning,
  { id, ending, isNew }: Batch & { readonly id: string },
): Promise<void> {
  const isWaiting = ending?.status === "waiting";
  if (!isWaiting && !isUnattended) return;
  if (ending !== undefined) await writeWakeups(inside, { report: id, caller, waits: isWaiting ? waitsOf(ending) : [] });
  else if (isNew) await writeWakeups(inside, { report: id, caller, waits: undefined });
}

/** @throws ToolError `conflict` when another server has resumed the run: a server that was stopped for a while must not continue it, too */
async function requireOwn(store: Store, id: string): Promise<void> {
  const resumedBy = (await store.get(reportKind, id))?.data.resumedBy;
  if (resumedBy === undefined) return;
  throw new ToolError("conflict", `another server has resumed the run, because this one was silent: ${resumedBy}`);
}

/** The status of a report whose run has another report. */
const statusAfter: Partial<Record<Head["status"], Head["status"]>> = { running: "interrupted", waiting: "resumed" };

/** Claims a run that ended early. Only one of several callers succeeds. */
async function claim(store: Store, before: Stored<Head>, by: string): Promise<void> {
  const { id, generation, data } = before;
  const resumedBy = (await store.get(reportKind, id))?.data.resumedBy;
  if (resumedBy !== undefined) throw alreadyResumed(id, resumedBy);
  const status = statusAfter[data.status] ?? data.status;
  await store.put(reportKind, { status, resumedBy: by }, { id, patch: true, ifGeneration: generation });
}
