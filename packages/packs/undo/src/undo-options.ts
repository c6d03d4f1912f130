import type { Store } from "@toolpacks/core";
import type { ProtectionOptions } from "@toolpacks/files";
import { z } from "zod";

/** The limits of what is kept. */
export const undoLimits = z.strictObject({
  maxBytes: z.int().min(0).default(1_000_000_000).describe("maximum bytes that are kept; the oldest units go first"),
  days: z.number().positive().default(14).describe("days to keep how calls are taken back"),
  maxFileBytes: z.int().min(0).default(50_000_000).describe("larger files and folders are not kept"),
});

export interface UndoOptions extends z.input<typeof undoLimits> {
  /** The store of the tools. Records are taken back through it. */
  readonly store: Store;
  /** The store's local view, which has the entries and the earlier contents of files. */
  readonly local: Store;
  /** A path for a lock, in a private folder: one process of this machine takes something back at a time. */
  readonly lockFile: string;
  /** Folders whose files can be taken back. Default: those of `rootsByPack`. */
  readonly roots?: readonly string[];
  /** The folders of packs that may change files only there, by their names. Default: `roots`. */
  readonly rootsByPack?: Readonly<Record<string, readonly string[]>>;
  /** What is protected in them. */
  readonly protection?: ProtectionOptions;
  /** The agent of calls that name none. */
  readonly actor?: string | undefined;
  /** Called when entries cannot be written or dropped. */
  readonly onError: (error: unknown) => void;
}

/** A running call, and its outermost call with the number of calls that were kept. */
export interface RunningCall {
  readonly name: string;
  readonly unit: { readonly id: string; kept: number };
}
