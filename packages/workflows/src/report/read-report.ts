import { ToolError, type Store, type Stored } from "@toolpacks/core";
import type { z } from "zod";
import type { EarlierStep } from "../engine/run.ts";
import { entrySchema, type Entry } from "./entry.ts";
import { readParts } from "./kept-result.ts";
import { isAlive } from "./owner.ts";
import { reportStepKind } from "./kept-kinds.ts";
import { reportKind, type ReportStatus } from "./report-kind.ts";

export type ReportHead = Stored<z.output<typeof reportKind.schema>>;
type StepRecord = Stored<z.output<typeof reportStepKind.schema>>;

/**
 * A report by its generation, or the last one.
 *
 * @throws ToolError `not_found`
 */
export async function findReport(
  store: Store,
  { generation, workflow }: { readonly generation?: number | undefined; readonly workflow?: string | undefined },
): Promise<ReportHead> {
  const head =
    generation === undefined ? await lastReport(store, workflow) : await store.get(reportKind, String(generation));
  if (head !== undefined) return head;
  const what = generation === undefined ? "no workflow has run yet" : `there is no report ${generation}`;
  throw new ToolError("not_found", `generation: ${what}`, "workflow_report without one shows the last.");
}

async function lastReport(store: Store, workflow: string | undefined): Promise<ReportHead | undefined> {
  const filter = workflow === undefined ? {} : { workflow };
  const { items } = await store.query(reportKind, { filter, sort: ["-run"], limit: 1, includeClosed: true });
  return items[0];
}

/** What a report says of its run now: one that nobody is at work on any more was interrupted. */
export function currentStatus({ data }: ReportHead): ReportStatus {
  return data.status === "running" && !isAlive(data) ? "interrupted" : data.status;
}

/** A page of a report's steps, in the order of the definition. */
export async function readEntries(
  store: Store,
  report: number,
  limit: number,
): Promise<{ readonly entries: readonly Entry[]; readonly total: number }> {
  const { items, total } = await store.query(reportStepKind, { filter: { report }, sort: ["order"], limit });
  return { entries: items.map(entryOf), total };
}

function entryOf({ data }: StepRecord): Entry {
  return entrySchema.parse(JSON.parse(data.entry));
}

/** One step of a report; undefined when it did not end, or there is none. */
export async function readStep(store: Store, report: number, path: string): Promise<EarlierStep | undefined> {
  const { items } = await store.query(reportStepKind, { filter: { report, path }, limit: 1 });
  const record = items[0];
  if (record === undefined) return undefined;
  const entry = entryOf(record);
  return {
    entry,
    order: record.data.order,
    result: async () => JSON.parse(await resultJson(store, record)) as unknown,
  };
}

/**
 * The JSON of a step's result.
 *
 * @throws ToolError `not_found` when it left none
 */
export async function readResult(store: Store, report: number, path: string): Promise<string> {
  const { items } = await store.query(reportStepKind, { filter: { report, path }, limit: 1 });
  const record = items[0];
  if (record === undefined)
    throw new ToolError("not_found", `step: report ${report} has no step ${JSON.stringify(path.slice(0, 200))}`);
  return resultJson(store, record);
}

async function resultJson(store: Store, record: StepRecord): Promise<string> {
  const { handle, status, step } = entryOf(record);
  if (handle !== undefined) return readParts(store, handle);
  if (record.data.result !== undefined) return record.data.result;
  throw new ToolError("not_found", `step: ${step} left no result: it is ${status}`);
}
