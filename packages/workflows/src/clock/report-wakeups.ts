import { ToolError, type Store } from "@toolpacks/core";
import type { Wait } from "../report/wait.ts";
import { noticeWakeup, wakeupKind } from "./wakeup-kind.ts";

/** Interval at which the clock looks whether the process of a run is alive, in ms. */
export const aliveCheckMs = 3_000;

interface RunOfReport {
  /** The report's id. */
  readonly report: string;
  readonly caller: string;
  /** What the run waits for. Undefined: it has begun. */
  readonly waits: readonly Wait[] | undefined;
}

/** Writes when the clock looks at a run. Part of the transaction that writes its report. */
export async function writeWakeups(inside: Store, { report, caller, waits }: RunOfReport): Promise<void> {
  noticeWakeup();
  const about = { report, caller: caller === "" ? undefined : caller };
  if (waits === undefined) {
    const due = new Date(Date.now() + aliveCheckMs).toISOString();
    await inside.put(wakeupKind, { ...about, due }, { id: report });
    return;
  }
  await removeWakeups(inside, report);
  const [due] = waits.flatMap(({ until }) => until ?? []).toSorted();
  if (due !== undefined) await inside.put(wakeupKind, { ...about, due }, { id: report });
  const issues = new Set(waits.flatMap(({ issue }) => issue ?? []));
  for (const [at, issue] of [...issues].entries()) {
    await inside.put(wakeupKind, { ...about, issue }, { id: `${report}/${at}` });
  }
}

/** Removes the wake-ups of a run that has ended, or that another report goes on with. */
export async function removeWakeups(inside: Store, report: string): Promise<void> {
  const { items } = await inside.query(wakeupKind, { filter: { report }, limit: 1_000, fields: [] });
  for (const { id } of items) await inside.delete(wakeupKind, id);
}

/** @throws ToolError `conflict` when another process has started the run */
export async function takeStart(inside: Store, id: string): Promise<void> {
  if (await inside.delete(wakeupKind, id)) return;
  throw new ToolError("conflict", "another process has started this run");
}
