import { everyRecord } from "@toolpacks/store";
import { type Store, maskText, maskValue } from "@toolpacks/core";
import { yieldToEventLoop } from "@toolpacks/expressions";
import { type Entry, entrySchema } from "./entry.ts";
import { removeRaw } from "./kept-result.ts";
import { maskJson } from "./json-text.ts";
import type { ReportHead } from "./owner.ts";
import { reportKind, reportStepKind } from "./report-kind.ts";
import { reportsOfRun } from "./reports-of-run.ts";

/** An entry with masked secrets. */
export function maskEntry(entry: Entry): Entry {
  const { summary, reason, error, params, printed } = entry;
  return {
    ...entry,
    summary: summary && maskText(summary),
    reason: reason && maskText(reason),
    error: error && { ...error, message: maskText(error.message), hint: error.hint && maskText(error.hint) },
    params: maskValue(params),
    printed: printed && maskText(printed),
  };
}

/** Masks the stored steps of a report. Handles of long results already open masked results. */
export async function maskSteps(store: Store, report: string): Promise<void> {
  const query = { filter: { report }, sort: ["path"], pageSize: 100 };
  for await (const step of everyRecord(store, reportStepKind, query)) {
    await yieldToEventLoop();
    const { entry, result } = step.data;
    const masked = {
      entry: JSON.stringify(maskEntry(entrySchema.parse(JSON.parse(entry)))),
      result: result && maskJson(result),
    };
    if (masked.entry !== entry || masked.result !== result)
      await store.put(reportStepKind, masked, { id: step.id, patch: true });
  }
}

/** Masks the reports of a run that is over, from its last one to its first. Many are masked without a transaction. */
export async function maskReports(store: Store, last: ReportHead): Promise<void> {
  for (const { id, data } of await reportsOfRun(store, last)) {
    await maskSteps(store, id);
    await removeRaw(store, id);
    const { plan, reason } = data;
    const masked = { plan: maskJson(plan), reason: reason && maskText(reason), masked: true as const };
    await store.put(reportKind, masked, { id, patch: true });
  }
}
