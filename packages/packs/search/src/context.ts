import type { Compaction } from "@toolpacks/core";
import type { Roots } from "@toolpacks/files";

/** The dependencies of the pack's tools. */
export interface SearchContext {
  readonly roots: Roots;
  readonly timeoutMs: number;
  readonly list: Required<Compaction>;
}
