import { defaultWorkspace, definePack, type Catalog, type Dispatcher, type Pack, type Store } from "@toolpacks/core";
import { labelWorkspaces } from "@toolpacks/core/store";
import { getTools } from "./get-tools.ts";
import { knownWorkspaces } from "./known-workspaces.ts";
import { packTools, refuseCollisions } from "./pack-tools.ts";
import { createRepetition } from "./repetition.ts";
import type { TwoToolOptions, TwoTools } from "./two-tools.ts";
import { useTools } from "./use-tools.ts";

/**
 * Creates the pack of `getTools` and `useTools` over a catalog.
 *
 * @throws Error when a tool has a parameter with the name of a context field
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

/** The workspace names for the tool's description. With only one workspace, none is shown and the store is not opened. */
async function shownWorkspaces({ store, workspaces }: TwoTools): Promise<readonly string[]> {
  if (store.allowedWorkspaces !== "all" && store.allowedWorkspaces.length === 1) return [];
  // An unreachable store does not prevent the list. A call will report it.
  const ids = await workspaces().catch(() => []);
  return [...labelWorkspaces(store, ids).values()];
}
