import type { Compaction } from "@toolpacks/core";
import type { Roots } from "@toolpacks/files";

export interface SearchContext {
  readonly roots: Roots;
  readonly timeoutMs: number;
  readonly list: Required<Compaction>;
}
