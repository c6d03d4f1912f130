import { callerStore, everyRecord } from "@toolpacks/store";
import { ToolError, type Store, type Stored } from "@toolpacks/core";
import type { z } from "zod";
import { entrySchema, type EarlierStep, type Entry } from "./entry.ts";
import { readMasked, readRaw } from "./kept-result.ts";
import { maskJson } from "./json-text.ts";
import { maskEntry } from "./mask-report.ts";
import type { ReportHead } from "./owner.ts";
import { reportKind, reportStepKind } from "./report-kind.ts";
import type { Reports } from "./reports.ts";

type StepRecord = Stored<z.output<typeof reportStepKind.schema>>;

interface WantedReport {
  readonly report?: string | undefined;
  readonly workflow?: string | undefined;
  /** The principal of the call. It gets only reports of its own runs. */
  readonly principal: string;
}

/**
 * The report with an id, or the report of the last run.
 *
 * @throws ToolError `not_found`
 */
export async function findReport(
  { store }: Pick<Reports, "store">,
  { report: id, workflow, principal }: WantedReport,
): Promise<ReportHead> {
  const own = callerStore(store, principal);
  const head = id === undefined ? await lastReport(own, workflow) : await own.get(reportKind, id);
  if (head !== undefined) return head;
  const what = id === undefined ? "no workflow has run yet" : `there is no report ${id}`;
  throw new ToolError("not_found", `report: ${what}`, "workflow_report without one shows the last.");
}

async function lastReport(store: Store, workflow: string | undefined): Promise<ReportHead | undefined> {
  const filter = workflow === undefined ? {} : { workflow };
  const query = { filter, sort: ["-started", "-id"], pageSize: 1, includeClosed: true, skipDamaged: true };
  for await (const head of everyRecord(store, reportKind, query)) return head;
  return undefined;
}

/** The waiting runs of a principal, the newest first. */
export function waitingRuns(store: Store, principal: string, limit: number) {
  const query = { filter: { status: "waiting" }, sort: ["-started"], limit, skipDamaged: true };
  return callerStore(store, principal).query(reportKind, query);
}

/** A page of a report's steps in the order of the definition, with secrets masked. */
export async function readEntries(
  store: Store,
  { id }: ReportHead,
  limit: number,
): Promise<{ readonly entries: readonly Entry[]; readonly total: number }> {
  const query = { filter: { report: id }, sort: ["order"], limit, countTo: Infinity };
  const { items, total } = await store.query(reportStepKind, query);
  return { entries: items.map((record) => maskEntry(keptStep(record).entry)), total };
}

/** The steps of reports of one run, by path, each from the newest report that has it. */
export async function readSteps(store: Store, heads: readonly ReportHead[]): Promise<ReadonlyMap<string, EarlierStep>> {
  const steps = new Map<string, EarlierStep>();
  for (const { id } of heads.toReversed()) {
    // A step inside a retried step has several entries, of which the last one counts.
    const query = { filter: { report: id }, sort: ["path"], pageSize: 1_000 };
    for await (const record of everyRecord(store, reportStepKind, query)) {
      const { entry, result } = keptStep(record);
      const json = async () => (entry.handle === undefined ? shortResult(entry, result) : readRaw(store, entry.handle));
      steps.set(entry.step, { entry, result: async () => JSON.parse(await json()) as unknown });
    }
  }
  return steps;
}

/**
 * The JSON of a step's result, with secrets masked.
 *
 * @throws ToolError `not_found` when the step has no result
 */
export async function readResult(store: Store, head: ReportHead, path: string): Promise<string> {
  const kept = await findStep(store, head, path);
  if (kept === undefined)
    throw new ToolError("not_found", `step: report ${head.id} has no step ${JSON.stringify(path.slice(0, 200))}`);
  const { entry, result } = kept;
  if (entry.handle !== undefined) return readMasked(store, entry.handle);
  return maskJson(shortResult(entry, result));
}

/** The last entry of a step: a step inside a retried step runs several times. */
async function findStep(store: Store, { id }: ReportHead, path: string) {
  // All have the same path. The index gives the newest.
  const query = { filter: { report: id, path }, sort: ["-path"], limit: 1 };
  const { items } = await store.query(reportStepKind, query);
  return items[0] && keptStep(items[0]);
}

/** The entry of a step, and the JSON of its result, if it is short. */
function keptStep({ data: { entry, result } }: StepRecord) {
  return { entry: entrySchema.parse(JSON.parse(entry)), result };
}

function shortResult({ step, status }: Entry, result: string | undefined): string {
  if (result !== undefined) return result;
  throw new ToolError("not_found", `step: ${step} left no result: it is ${status}`);
}
