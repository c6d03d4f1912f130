import { callerStore } from "@toolpacks/store";
import { type Store, maskText } from "@toolpacks/core";
import { reportKind } from "./report-kind.ts";

/** A run that waits. */
export interface WaitingRun {
  /** The report's id. */
  readonly report: string;
  readonly workflow: string;
  /** ISO 8601. */
  readonly since: string;
  readonly waits: string;
}

/** The waiting runs of a principal, the newest first. */
export async function waitingRuns(
  store: Store,
  { principal, limit }: { readonly principal: string; readonly limit: number },
): Promise<{ readonly runs: readonly WaitingRun[]; readonly total: number }> {
  const query = { filter: { status: "waiting" }, sort: ["-started"], limit, skipDamaged: true };
  const { items, total } = await callerStore(store, principal).query(reportKind, query);
  const runs = items.flatMap(({ id, data: { workflow, started, ended = started, reason = "" } }) => [
    { report: id, workflow, since: ended, waits: maskText(reason) },
  ]);
  return { runs, total };
}
