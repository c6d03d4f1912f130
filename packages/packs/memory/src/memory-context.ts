import type { Store } from "@toolpacks/core";
import type { TextComparer } from "@toolpacks/meaning";
import type { Traces } from "./traces/create-traces.ts";

export interface MemoryContext {
  /** The store, opened on the workspace of the running call. */
  readonly store: Store;
  readonly traces: Traces | undefined;
  /** Compares the meaning of a question with that of observations. */
  readonly compare: TextComparer;
}
