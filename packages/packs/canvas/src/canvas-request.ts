import type { ChangeInput, EdgeInput, NodeInput } from "./item-fields.ts";

/** The changes of one call. All are made or none. */
export interface CanvasRequest {
  readonly add: readonly NodeInput[];
  readonly connect: readonly EdgeInput[];
  readonly change: readonly ChangeInput[];
  /** Ids of nodes and edges. Edges of a removed node are removed, too. */
  readonly remove: readonly string[];
}
