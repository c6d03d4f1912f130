import type { CallContext, Dispatcher, Failure, Kind, Store } from "@toolpacks/core";
import type { Retention } from "@toolpacks/core/store";
import type { WorkspaceIds } from "./call-context.ts";
import type { PackTools } from "./pack-tools.ts";
import type { Repetition } from "./repetition.ts";

export interface TwoToolOptions {
  /** Keeps what a batch with an `operationId` answered. */
  readonly store: Store;
  /** Ids of the workspaces that exist. Default: those of the store with a record in them, its own, and `default`. */
  readonly workspaces?: WorkspaceIds;
  /** Which batches with an `operationId` are remembered, in each workspace. Default: the last 1,000, for 7 days. */
  readonly batches?: Retention;
  /** The most calls of a parallel batch that run at once. Default 8. */
  readonly parallel?: number;
  /** Milliseconds that a call of a parallel batch may take. Default 60,000. */
  readonly callTimeout?: number;
  readonly checkHandles?: CheckHandles;
}

/** What is wrong with the handles in a call's arguments; undefined when all of them lead somewhere. Asked of calls that have some. */
export type CheckHandles = (args: unknown, context: CallContext) => Promise<Failure | undefined>;

/** What both tools work with. */
export interface TwoTools {
  readonly packs: readonly PackTools[];
  /** Of every mounted pack. */
  readonly kinds: readonly Kind[];
  readonly dispatcher: Dispatcher;
  readonly store: Store;
  readonly workspaces: WorkspaceIds;
  readonly batches: Retention;
  readonly parallel: number;
  readonly callTimeout: number;
  readonly checkHandles: CheckHandles;
  readonly repetition: Repetition;
}
