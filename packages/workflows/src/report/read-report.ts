import { ToolError, type Store, type Stored } from "@toolpacks/core";
import type { z } from "zod";
import type { EarlierStep } from "./earlier-step.ts";
import { entrySchema, type Entry } from "./entry.ts";
import { readHandle, readParts } from "./kept-result.ts";
import type { Reports } from "./reports.ts";
import { maskEntry, maskJson } from "./mask-report.ts";
import { reportStepKind } from "./kept-kinds.ts";
import type { ReportHead } from "./report-head.ts";
import { reportKind } from "./report-kind.ts";

type StepRecord = Stored<z.output<typeof reportStepKind.schema>>;

/**
 * The report of a generation, or the last report.
 *
 * @throws ToolError `not_found`
 */
export async function findReport(
  { store, queue }: Reports,
  { generation, workflow }: { readonly generation?: number | undefined; readonly workflow?: string | undefined },
): Promise<ReportHead> {
  await queue.flush();
  const head =
    generation === undefined ? await lastReport(store, workflow) : await store.get(reportKind, String(generation));
  if (head !== undefined) return head;
  const what = generation === undefined ? "no workflow has run yet" : `there is no report ${generation}`;
  throw new ToolError("not_found", `generation: ${what}`, "workflow_report without one shows the last.");
}

async function lastReport(store: Store, workflow: string | undefined): Promise<ReportHead | undefined> {
  const filter = workflow === undefined ? {} : { workflow };
  const { items } = await store.query(reportKind, { filter, sort: ["-written"], limit: 1, includeClosed: true });
  return items[0];
}

/** A step of a stored report. */
export interface KeptStep {
  readonly entry: Entry;
  /** Its place in the definition, for sorting. */
  readonly order: string;
  /** JSON of the result, if it is short. */
  readonly result?: string | undefined;
}

/** A page of a report's steps in the order of the definition, with secrets masked. */
export async function readEntries(
  store: Store,
  { data }: ReportHead,
  limit: number,
): Promise<{ readonly entries: readonly Entry[]; readonly total: number }> {
  if (data.steps !== undefined) {
    const steps = stepsOf(data.steps).toSorted((one, other) => (one.order < other.order ? -1 : 1));
    return { entries: steps.slice(0, limit).map(({ entry }) => maskEntry(entry)), total: steps.length };
  }
  const query = { filter: { report: data.run }, sort: ["order"], limit, countAll: true };
  const { items, total } = await store.query(reportStepKind, query);
  return { entries: items.map((record) => maskEntry(keptStep(record).entry)), total };
}

/** One step of a report. Undefined when it does not exist or did not end. */
export async function readStep(store: Store, { data }: ReportHead, path: string): Promise<EarlierStep | undefined> {
  const kept = await findStep(store, data, path);
  if (kept === undefined) return undefined;
  const { entry, order } = kept;
  return { entry, order, result: async () => JSON.parse(await resultJson(store, kept)) as unknown };
}

/**
 * The JSON of a step's result, with secrets masked.
 *
 * @throws ToolError `not_found` when the step has no result
 */
export async function readResult(store: Store, { data }: ReportHead, path: string): Promise<string> {
  const kept = await findStep(store, data, path);
  if (kept !== undefined) {
    const json = await resultJson(store, kept);
    const { handle } = kept.entry;
    const isMasked = data.masked === true && (handle === undefined || readHandle(handle).report === data.run);
    return (isMasked ? json : maskJson(json)).trimEnd();
  }
  throw new ToolError("not_found", `step: report ${data.run} has no step ${JSON.stringify(path.slice(0, 200))}`);
}

/** The last entry of a step: a step inside a retried step runs several times. */
async function findStep(store: Store, head: ReportHead["data"], path: string): Promise<KeptStep | undefined> {
  if (head.steps !== undefined) return stepsOf(head.steps).findLast(({ entry }) => entry.step === path);
  // All have the same path. The index gives the newest.
  const query = { filter: { report: head.run, path }, sort: ["-path"], limit: 1 };
  const { items } = await store.query(reportStepKind, query);
  return items[0] && keptStep(items[0]);
}

function keptStep({ data: { entry, order, result } }: StepRecord): KeptStep {
  return { entry: entrySchema.parse(JSON.parse(entry)), order, result };
}

function stepsOf(json: string): readonly KeptStep[] {
  return JSON.parse(json) as readonly KeptStep[];
}

async function resultJson(store: Store, { entry, result }: KeptStep): Promise<string> {
  const { handle, size = 0, status, step } = entry;
  if (handle !== undefined) return readParts(store, handle, size);
  if (result !== undefined) return result;
  throw new ToolError("not_found", `step: ${step} left no result: it is ${status}`);
}
