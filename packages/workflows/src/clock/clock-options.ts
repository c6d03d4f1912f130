import type { Kind, Outcome, Store } from "@toolpacks/core";
import type { Library } from "../definition/library.ts";

export interface ClockOptions {
  /** The store of the runs, in their workspace. */
  readonly store: Store;
  /** The configured workflows. */
  readonly sources: Library["sources"];
  /** The record kinds of all packs. */
  readonly kinds: () => readonly Kind[];
  /** Calls `workflow_run` as a principal. Undefined: the principal cannot be served now. */
  readonly call: (principal: string, args: Readonly<Record<string, unknown>>) => Promise<Outcome | undefined>;
  /** Called when a run cannot begin, and when the store fails. Both are tried again. */
  readonly onError: (message: string, cause?: unknown) => void;
}
