import type { Store } from "@toolpacks/core";
import type { ReportQueue } from "./report-queue.ts";
import type { ReportRetention } from "./report-retention.ts";

/** The stores of reports. */
export interface Reports {
  readonly store: Store;
  readonly queue: ReportQueue;
  readonly retention: ReportRetention;
}
