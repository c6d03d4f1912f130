import type { Compaction } from "@toolpacks/core";
import type { Roots } from "@toolpacks/core/roots";

/** What every tool of the pack is made with. */
export interface SearchContext {
  readonly roots: Roots;
  readonly timeoutMs: number;
  readonly list: Required<Compaction>;
}
