import type { Store } from "@toolpacks/core";
import type { RecallCounter } from "./knowledge/recall-counter.ts";
import type { Traces } from "./traces/create-traces.ts";

/** What the pack's tools share. */
export interface MemoryContext {
  /** Looks at the workspace of the running call. */
  readonly store: Store;
  readonly recalls: RecallCounter;
  readonly traces: Traces | undefined;
}
