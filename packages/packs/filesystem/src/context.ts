import type { Compaction } from "@toolpacks/core";
import type { Roots } from "@toolpacks/files";

/** The dependencies of the pack's tools. */
export interface FilesystemContext {
  readonly roots: Roots;
  readonly maxReadBytes: number;
  /** Maximum time that a list walks a tree, in ms. */
  readonly timeoutMs: number;
  readonly list: Compaction;
}
