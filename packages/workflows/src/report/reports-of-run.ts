import type { Store } from "@toolpacks/core";
import type { ReportHead } from "./owner.ts";
import { reportKind } from "./report-kind.ts";

/** Maximum number of reports of a run that are read. */
const maxReports = 100;

/** The reports of a run, from its last one to its first. Imported reports may form long chains or cycles. */
export async function reportsOfRun(store: Pick<Store, "get">, last: ReportHead): Promise<readonly ReportHead[]> {
  const reports = [last];
  // The list grows.
  for (const { data } of reports) {
    if (data.resumes === undefined || reports.length === maxReports) break;
    const before = await store.get(reportKind, data.resumes);
    if (before !== undefined && reports.every(({ id }) => id !== before.id)) reports.push(before);
  }
  return reports;
}
