import { everyRecord } from "@toolpacks/store";
import { type Store, maskText, maskValue } from "@toolpacks/core";
import { yieldToEventLoop } from "@toolpacks/expressions";
import { type Entry, entrySchema } from "./entry.ts";
import { removeRaw } from "./kept-result.ts";
import { maskJson } from "./json-text.ts";
import type { ReportHead } from "./owner.ts";
import { reportKind, reportStepKind } from "./report-kind.ts";

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

/** Maximum number of resumed runs that are masked when the last one ends. */
const maxResumed = 100;

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

/**
 * Masks the reports of the runs that this run resumed, also indirectly. Imported reports may form long chains or cycles, so it
 * uses no transaction, visits each report once, and stops at a limit.
 */
export async function maskResumed(store: Store, report: string): Promise<void> {
  const visited = new Set([report]);
  for (let at = (await store.get(reportKind, report))?.data.resumes; at !== undefined;) {
    if (visited.has(at) || visited.size > maxResumed) return;
    visited.add(at);
    const head: ReportHead | undefined = await store.get(reportKind, at);
    if (head === undefined) return;
    await maskSteps(store, at);
    await removeRaw(store, at);
    const { plan, reason, resumes } = head.data;
    const masked = { plan: maskJson(plan), reason: reason && maskText(reason), masked: true as const };
    await store.put(reportKind, masked, { id: at, patch: true });
    at = resumes;
  }
}
