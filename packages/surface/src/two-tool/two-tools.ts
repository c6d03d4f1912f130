import {
  defaultWorkspace,
  definePack,
  type CallContext,
  type Catalog,
  type Dispatcher,
  type Failure,
  type Kind,
  type Pack,
  type Store,
} from "@toolpacks/core";
import { labelWorkspaces, type Retention } from "@toolpacks/core/store";
import type { WorkspaceIds } from "./call-context.ts";
import { getTools } from "./get-tools.ts";
import { knownWorkspaces } from "./known-workspaces.ts";
import { packTools, refuseCollisions, type PackTools } from "./pack-tools.ts";
import { createRepetition, type Repetition } from "./repetition.ts";
import { useTools } from "./use-tools.ts";

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

/**
 * `getTools` and `useTools` over a catalog, as a pack of their own.
 *
 * @throws Error when a tool has a parameter of a name that the context carries
 */
export async function twoToolPack(catalog: Catalog, dispatcher: Dispatcher, options: TwoToolOptions): Promise<Pack> {
  const { store, workspaces, batches = { keep: 1_000, days: 7 } } = options;
  const { parallel = 8, callTimeout = 60_000, checkHandles = async () => undefined } = options;
  const packs = await packTools(catalog);
  refuseCollisions(packs);
  const ids = knownWorkspaces(store, workspaces ?? (() => workspacesOf(store)));
  const twoTools = {
    packs,
    kinds: catalog.packs.flatMap(({ kinds }) => kinds),
    dispatcher,
    store,
    workspaces: ids,
    batches,
    parallel,
    callTimeout,
    checkHandles,
    repetition: createRepetition(),
  };
  return definePack({
    name: "core",
    description: "Explains and calls the tools of every mounted pack.",
    budget: 600 + 15 * packs.length,
    tools: async () => [getTools(twoTools, await shownWorkspaces(twoTools)), useTools(twoTools)],
  })();
}

async function workspacesOf(store: Store): Promise<readonly string[]> {
  const { workspace, allowedWorkspaces: allowed } = store;
  const hasDefault = allowed === "all" || allowed.includes(defaultWorkspace);
  return [...new Set([...(hasDefault ? [defaultWorkspace] : []), workspace, ...(await store.workspaces())])];
}

/** What the list calls the workspaces. Where there is only the own one, no call needs its name, and the store is not opened for it. */
async function shownWorkspaces({ store, workspaces }: TwoTools): Promise<readonly string[]> {
  if (store.allowedWorkspaces !== "all" && store.allowedWorkspaces.length === 1) return [];
  // A store that cannot be reached now is no reason to list nothing; a call will say so.
  const ids = await workspaces().catch(() => []);
  return [...labelWorkspaces(store, ids).values()];
}
