import type { Dispatcher, Failure, Store, ToolContext, ToolNames } from "@toolpacks/core";
import type { Retention } from "@toolpacks/store";
import type { LazyFinder } from "../lazy-finder.ts";
import type { WorkspaceIds } from "./call-context.ts";
import type { PackTools } from "./pack-tools.ts";

export interface TwoToolOptions {
  /** Stores the results of batches with an `operationId`. */
  readonly store: Store;
  /** Ids of the existing workspaces. Default: workspaces of the store with a record, its own, and `default`. */
  readonly workspaces?: WorkspaceIds;
  /** How many batches with an `operationId` are remembered in each workspace. Default: the last 1,000, for 7 days. */
  readonly batches?: Retention;
  /** Maximum calls of a parallel batch at the same time. Default 8. */
  readonly parallel?: number;
  /** Timeout of a call in a parallel batch, in ms. Default 60,000. */
  readonly callTimeout?: number;
  /** Resolves to the problem of the handles in a call's arguments; undefined when all can be resolved. Only called when there are handles. */
  readonly checkHandles?: (args: unknown, context: ToolContext) => Promise<Failure | undefined>;
}

/** Shared by both tools. */
export interface TwoTools
  extends
    Required<Pick<TwoToolOptions, "store" | "workspaces" | "batches">>,
    Pick<TwoToolOptions, "parallel" | "callTimeout" | "checkHandles"> {
  readonly packs: readonly PackTools[];
  readonly finder: LazyFinder;
  readonly dispatcher: Dispatcher;
  readonly toolNames: ToolNames;
  /** The name of a workspace as calls name it. */
  readonly labelOf: (workspace: string) => Promise<string>;
}
