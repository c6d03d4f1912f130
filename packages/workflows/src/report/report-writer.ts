import { ToolError, type Store } from "@toolpacks/core";
import { newRecordId, valueOwner } from "@toolpacks/store";
import { yieldToEventLoop } from "@toolpacks/expressions";
import type { Entry, FinishedStep } from "./entry.ts";
import { longResult, removeRaw, writeResult, type LongResult } from "./kept-result.ts";
import { maskJson } from "./json-text.ts";
import { maskEntry, maskReports, maskSteps } from "./mask-report.ts";
import { owner, type ReportHead } from "./owner.ts";
import { alreadyResumed, isResumable, planDigest } from "./plan.ts";
import { removeWakeups, takeStart, writeWakeups } from "../clock/report-wakeups.ts";
import { waitsOf } from "./wait.ts";
import { reportKind, reportStepKind } from "./report-kind.ts";

type Head = ReportHead["data"];

/** The data of a run before it begins. */
export type Beginning = Pick<Head, "workflow" | "plan"> & {
  readonly resumes?: ReportHead;
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

export type ReportWriter = ReturnType<typeof createReportWriter>;

/** Writes the report of one run. */
export function createReportWriter(store: Store, beginning: Beginning) {
  const id = newRecordId();
  const owner = valueOwner(beginning.caller);
  const started = new Date().toISOString();
  /** Whether a long result was written with its secrets. */
  let hasRaw = false;

  async function writeReport(inside: Store, steps: readonly StepRecord[], batch: Batch): Promise<number> {
    const { ending, isNew } = batch;
    if (isNew) await claimBeginning(inside, beginning, id);
    else await requireOwn(inside, id);
    await scheduleRun(inside, beginning, { ...batch, id });
    const { generation } = await inside.put(reportKind, describe(id, beginning, { ...batch, started }), { id });
    for (const step of steps) {
      // A store may write without yielding to the event loop.
      await yieldToEventLoop();
      const { entry, order, result, long } = step;
      const record = { report: id, path: entry.step, order, entry: JSON.stringify(entry), result };
      await inside.put(reportStepKind, record);
      if (long !== undefined) await writeResult(inside, long, { report: id, owner });
    }
    if (isMasked(ending) && !isNew) await maskSteps(inside, id);
    if (isMasked(ending) && hasRaw) await removeRaw(inside, id);
    return generation;
  }

  return {
    id,
    /** Writes steps and the state of the run. Resolves to the generation of the write. */
    async write(steps: readonly FinishedStep[], batch: Batch): Promise<number> {
      const { ending } = batch;
      const records = await toRecords(steps, isMasked(ending));
      hasRaw ||= records.some(({ long }) => long?.raw !== undefined);
      const generation = await store.transaction((inside) => writeReport(inside, records, batch));
      if (isMasked(ending) && beginning.resumes !== undefined) await maskReports(store, beginning.resumes);
      return generation;
    },
  };
}

interface Batch {
  readonly ending: Ending | undefined;
  /** Whether it is the report's first write. */
  readonly isNew: boolean;
  readonly pending: Head["pending"];
}

/** Whether the report is masked. That of a run that can be resumed is not: the next run needs its input and results. */
function isMasked(ending: Ending | undefined): ending is Ending {
  return ending !== undefined && !isResumable(ending);
}

function describe(
  id: string,
  { workflow, plan, caller, resumes, waits }: Beginning,
  { started, ending, pending }: Pick<Head, "started"> & Batch,
): Head {
  const now = new Date().toISOString();
  return {
    workflow,
    // A run that is over is not resumed, so its plan is masked.
    ...(isMasked(ending)
      ? { plan: maskJson(plan), masked: true as const }
      : { plan, planDigest: planDigest({ id, workflow, plan }) }),
    started,
    heartbeat: now,
    owner,
    caller: caller === "" ? undefined : caller,
    resumes: resumes?.id,
    pending,
    ...(ending === undefined ? { status: "running" as const, counts: {}, waits } : { ...ending, ended: now }),
  };
}

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
  if (ending !== undefined || isNew)
    await writeWakeups(inside, { report: id, caller, waits: ending && waitsOf(ending) });
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
async function claim(store: Store, before: ReportHead, by: string): Promise<void> {
  const { id, generation, data } = before;
  const resumedBy = (await store.get(reportKind, id))?.data.resumedBy;
  if (resumedBy !== undefined) throw alreadyResumed(id, resumedBy);
  const status = statusAfter[data.status] ?? data.status;
  await store.put(reportKind, { status, resumedBy: by }, { id, patch: true, ifGeneration: generation });
}
