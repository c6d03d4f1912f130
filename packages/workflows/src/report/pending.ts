import type { ReportHead } from "./owner.ts";

/** The calls of a script that began and have no entry, each with the report in which it began. Nobody knows whether they did anything. */
export function pendingOf(report: ReportHead | undefined): readonly (readonly [path: string, report: string])[] {
  return (report?.data.pending ?? []).map((one) => {
    const end = one.lastIndexOf(" ");
    return [one.slice(0, end), one.slice(end + 1)];
  });
}
