import type { OnError } from "../definition/step-kinds.ts";
import type { Selection } from "./selection.ts";

/** How a run is to be made. Kept with the report, so that it can be resumed. */
export interface RunOptions extends Selection {
  readonly dryRun?: boolean | undefined;
  readonly onError?: OnError | undefined;
}
