import type { Store } from "@toolpacks/core";
import type { Backlog } from "./backlog.ts";
import type { ReportRetention } from "./report-retention.ts";

/** The stores of reports. */
export interface Reports {
  readonly store: Store;
  readonly backlog: Backlog;
  readonly retention: ReportRetention;
}
