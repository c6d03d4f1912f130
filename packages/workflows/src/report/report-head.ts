import type { Stored } from "@toolpacks/core";
import type { z } from "zod";
import { isAlive } from "./owner.ts";
import type { reportKind, ReportStatus } from "./report-kind.ts";

export type ReportHead = Stored<z.output<typeof reportKind.schema>>;

/** What a report says of its run now: one that nobody is at work on any more was interrupted. */
export function currentStatus({ data }: ReportHead): ReportStatus {
  return data.status === "running" && !isAlive(data) ? "interrupted" : data.status;
}
