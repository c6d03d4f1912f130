import type { Store } from "@toolpacks/core";
import { removeOld, type Retention } from "@toolpacks/core/store";
import { reportPartKind, reportStepKind } from "./kept-kinds.ts";
import { currentStatus, type ReportHead } from "./report-head.ts";
import { reportKind } from "./report-kind.ts";

/** Removes reports that are too many or too old. */
export interface ReportRetention {
  /** Called when a run has ended in a workspace. Old reports are removed soon after, and before the store closes. */
  ended(workspace: string): void;
}

/** Delay before old reports are removed, since many runs may end together. */
const delayMs = 1_000;
/** Maximum records that are removed in one transaction. */
const maxBatch = 100;

export function createReportRetention(store: Store, retention: Retention): ReportRetention {
  const workspaces = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const remove = async () => {
    clearTimeout(timer);
    timer = undefined;
    const all = [...workspaces];
    workspaces.clear();
    for (const workspace of all) {
      const inside = store.in(workspace);
      const beforeRemove = (head: unknown) => removeSteps(inside, head as ReportHead);
      await removeOld(inside, reportKind, { ...retention, time: "started", beforeRemove });
    }
  };
  store.beforeEnd(remove);
  return {
    ended(workspace) {
      workspaces.add(workspace);
      // The removal after the next run tries again.
      timer ??= setTimeout(() => void remove().catch(() => {}), delayMs).unref();
    },
  };
}

/** Removes the other records of a report. False while another report needs them. */
async function removeSteps(store: Store, head: ReportHead): Promise<boolean> {
  const { status, run, resumedBy } = head.data;
  if (status === "running" && currentStatus(head) === "running") return false;
  // The report of a continued run shows long results that are stored here.
  if (resumedBy !== undefined && (await store.get(reportKind, String(resumedBy))) !== undefined) return false;
  for (const kind of [reportStepKind, reportPartKind]) {
    for (;;) {
      const { items } = await store.query(kind, { filter: { report: run }, limit: maxBatch, fields: [] });
      if (items.length === 0) break;
      await store.transaction(async (inside) => {
        for (const { id } of items) await inside.delete(kind, id);
      });
      await new Promise(setImmediate);
    }
  }
  return true;
}
