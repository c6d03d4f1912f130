import { everyRecord } from "@toolpacks/store";
import { ToolError, type Store, type Stored } from "@toolpacks/core";
import pLimit from "p-limit";
import type { z } from "zod";
import { currentStatus } from "../report/owner.ts";
import { reportKind } from "../report/report-kind.ts";
import type { ClockOptions } from "./clock-options.ts";
import { aliveCheckMs } from "./report-wakeups.ts";
import { startBy } from "./started-by.ts";
import { wakeupKind } from "./wakeup-kind.ts";

type Wakeup = Stored<z.output<typeof wakeupKind.schema>>;

/** Time for which a process works on a record alone, in ms. It covers the time until the run's report is written. */
const leaseMs = 10_000;
/** Maximum delay before the next attempt, in ms. */
const maxBackoffMs = 3_600_000;
/** Maximum number of runs at once. */
const maxRuns = 16;
const pageSize = 100;

/**
 * Begins the runs that are due and that no other process works on.
 *
 * @param onRun called when a run has ended
 */
export function createWaker({ store, call, onError }: ClockOptions, onRun: () => void) {
  const busy = new Map<string, Promise<void>>();
  const limit = pLimit(maxRuns);

  async function wakeOne(wakeup: Wakeup): Promise<void> {
    if (!(await claim(store, wakeup))) return;
    const { report, workflow, input, caller = "", attempts } = wakeup.data;
    if (report !== undefined && !(await mustGoOn(store, wakeup.id, report))) return;
    const args =
      report === undefined ? { name: workflow, input: JSON.parse(input ?? "{}") as unknown } : { resume: report };
    const outcome = await startBy(wakeup.id, () => call(caller, args));
    // The run's first write deletes the record.
    if ((await store.get(wakeupKind, wakeup.id)) === undefined) return;
    const delay = Math.min(1_000 * 2 ** attempts, maxBackoffMs);
    await postpone(store, wakeup.id, { delay, attempts: attempts + 1 });
    if (attempts > 0 || outcome?.ok !== false) return;
    const { code, message } = outcome.failure;
    onError(`the run of ${workflow ?? `report ${report}`} cannot begin: ${code}: ${message}`);
  }

  const begin = (wakeup: Wakeup) => {
    const run = limit(() => wakeOne(wakeup))
      .catch((error: unknown) => onError("a run that is due cannot begin", error))
      .finally(() => {
        busy.delete(wakeup.id);
        onRun();
      });
    busy.set(wakeup.id, run);
  };
  return {
    /** Resolves when the due runs are found, not when they end. */
    async wake(): Promise<void> {
      const filter = { due: { lte: new Date(Date.now()).toISOString() } };
      const { items } = await store.query(wakeupKind, { filter, sort: ["due"], limit: pageSize, skipDamaged: true });
      for (const wakeup of items) {
        if (busy.size >= maxRuns) break;
        if (!busy.has(wakeup.id)) begin(wakeup);
      }
    },
    /** The next time at which a run is due, in ms. Infinity: none is. */
    async nextDue(): Promise<number> {
      if (busy.size >= maxRuns) return Infinity;
      const query = { filter: { due: { exists: true } }, sort: ["due"], pageSize, skipDamaged: true };
      for await (const { id, data } of everyRecord(store, wakeupKind, query)) {
        if (!busy.has(id) && data.due !== undefined) return Date.parse(data.due);
      }
      return Infinity;
    },
    /** Resolves when no run is in progress. */
    async idle(): Promise<void> {
      while (busy.size > 0) await Promise.all(busy.values());
    },
  };
}

/** Leases a record. Only one of several processes succeeds. */
async function claim(store: Store, { id, generation }: Wakeup): Promise<boolean> {
  const due = new Date(Date.now() + leaseMs).toISOString();
  try {
    await store.put(wakeupKind, { due }, { id, patch: true, ifGeneration: generation });
    return true;
  } catch (error) {
    if (ToolError.is(error) && (error.code === "conflict" || error.code === "not_found")) return false;
    throw error;
  }
}

/** Whether a run must go on now. The record of a run that goes on elsewhere is looked at later; that of an ended run is removed. */
async function mustGoOn(store: Store, id: string, report: string): Promise<boolean> {
  const head = await store.get(reportKind, report);
  const status = head === undefined || head.data.resumedBy !== undefined ? undefined : currentStatus(head);
  if (status === "waiting" || status === "interrupted") return true;
  if (status === "running") await postpone(store, id, { delay: aliveCheckMs, attempts: 0 });
  else await store.delete(wakeupKind, id);
  return false;
}

/** @param change the delay in ms, and the attempts so far */
async function postpone(
  store: Store,
  id: string,
  { delay, attempts }: { readonly delay: number; readonly attempts: number },
): Promise<void> {
  const due = new Date(Date.now() + delay).toISOString();
  await store.put(wakeupKind, { due, attempts }, { id, patch: true }).catch((error: unknown) => {
    // The run has ended meanwhile.
    if (!ToolError.is(error) || error.code !== "not_found") throw error;
  });
}
