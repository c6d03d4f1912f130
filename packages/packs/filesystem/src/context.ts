import type { Compaction } from "@toolpacks/core";
import type { Roots } from "@toolpacks/core/roots";

/** What every tool of the pack is made with. */
export interface FilesystemContext {
  readonly roots: Roots;
  readonly maxReadBytes: number;
  /** How long a list may walk, in ms. */
  readonly timeoutMs: number;
  readonly list: Compaction;
}
