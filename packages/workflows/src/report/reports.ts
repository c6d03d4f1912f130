import type { Store } from "@toolpacks/core";
import { removeOld, type Retention } from "@toolpacks/store";
import { removeResults } from "./kept-result.ts";
import { currentStatus, type ReportHead } from "./owner.ts";
import { reportKind, reportStepKind } from "./report-kind.ts";

/** Where reports are written. */
export interface Reports {
  readonly store: Store;
  /** Removes the reports of the workspace that are too many or too old, with their steps and results. Returns at once. */
  removeOld(): void;
}

/** @param onError called when reports cannot be removed */
export function createReports(store: Store, retention: Retention, onError: (error: unknown) => void): Reports {
  /** Workspaces whose removal has not begun. */
  const due = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  const remove = async (workspace: string) => {
    due.delete(workspace);
    const inside = store.in(workspace);
    const beforeRemove = (head: unknown) => removeContents(inside, head as ReportHead);
    await removeOld(inside, reportKind, { ...retention, time: "started", beforeRemove });
  };
  store.beforeEnd(() => last);
  return {
    store,
    removeOld() {
      const { workspace } = store;
      if (due.has(workspace)) return;
      due.add(workspace);
      last = last.then(() => remove(workspace)).catch(onError);
    },
  };
}

const maxBatch = 100;

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
