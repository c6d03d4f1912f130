import type { Stored } from "@toolpacks/core";
import type { z } from "zod";
import { isAlive } from "./owner.ts";
import type { reportKind, ReportStatus } from "./report-kind.ts";

export type ReportHead = Stored<z.output<typeof reportKind.schema>>;

/** The state of a report's run now. A run whose owner is dead was interrupted. */
export function currentStatus({ id, data }: ReportHead): ReportStatus {
  return data.status === "running" && !isAlive(id, data) ? "interrupted" : data.status;
}
