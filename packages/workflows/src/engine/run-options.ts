import type { OnError } from "../definition/step-kinds.ts";
import type { Selection } from "./selection.ts";

/** Options of a run. They are kept in the report, so that the run can be resumed. */
export interface RunOptions extends Selection {
  readonly dryRun?: boolean | undefined;
  readonly onError?: OnError | undefined;
}
