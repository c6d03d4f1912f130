import type { Store } from "@toolpacks/core";
import { removeOld, type Retention } from "@toolpacks/store";
import { removeResults } from "./kept-result.ts";
import { currentStatus, type ReportHead } from "./owner.ts";
import { reportKind, reportStepKind } from "./report-kind.ts";

/** Maximum records that are removed in one transaction. */
const maxBatch = 100;

/** Removes the reports of a workspace that are too many or too old, with their steps and results. */
export async function removeOldReports(store: Store, retention: Retention): Promise<void> {
  const beforeRemove = (head: unknown) => removeContents(store, head as ReportHead);
  await removeOld(store, reportKind, { ...retention, time: "started", beforeRemove });
}

/** Removes the other records of a report. False while another report needs them. */
async function removeContents(store: Store, head: ReportHead): Promise<boolean> {
  // A store may answer without yielding to the event loop.
  await new Promise(setImmediate);
  const { status, resumedBy } = head.data;
  if (status === "waiting") return false;
  if (status === "running" && currentStatus(head) === "running") return false;
  // The report of a continued run shows long results that are stored here.
  if (resumedBy !== undefined && (await store.get(reportKind, resumedBy)) !== undefined) return false;
  for (;;) {
    const { items } = await store.query(reportStepKind, { filter: { report: head.id }, limit: maxBatch, fields: [] });
    if (items.length === 0) break;
    await store.transaction(async (inside) => {
      for (const { id } of items) await inside.delete(reportStepKind, id);
    });
    await new Promise(setImmediate);
  }
  await removeResults(store, head.id);
  return true;
}
