import { defaultWorkspace, definePack, type Catalog, type Dispatcher, type Pack, type Store } from "@toolpacks/core";
import { labelWorkspaces } from "@toolpacks/store";
import { lazyFinder } from "../lazy-finder.ts";
import type { ToolFinderOptions } from "../search/tool-finder.ts";
import { isAlone, type WorkspaceIds } from "./call-context.ts";
import { getTools } from "./get-tools.ts";
import { packTools, refuseCollisions } from "./pack-tools.ts";
import { toolNames } from "./tool-names.ts";
import type { TwoToolOptions, TwoTools } from "./two-tools.ts";
import { useTools } from "./use-tools.ts";

/**
 * Creates the pack of `getTools` and `useTools` over a catalog.
 *
 * @throws Error when a tool has a parameter with the name of a context field
 */
export async function twoToolPack(
  catalog: Catalog,
  dispatcher: Dispatcher,
  options: TwoToolOptions & { readonly search: ToolFinderOptions },
): Promise<Pack> {
  const { store, search, batches = { keep: 1_000, days: 7 } } = options;
  const packs = await packTools(catalog);
  refuseCollisions(packs);
  const workspaces = options.workspaces ?? (() => workspacesOf(store));
  const twoTools = {
    ...options,
    packs,
    finder: lazyFinder(catalog, search),
    dispatcher,
    toolNames: toolNames(packs),
    workspaces,
    labelOf: (id: string) => labelOf(store, workspaces, id),
    batches,
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
  return [...new Set([workspace, ...(await store.workspaces()), ...(hasDefault ? [defaultWorkspace] : [])])];
}

/**
 * The workspace names for the tool's description, the project's own first. `default`, which every store has, is last: a model would take its name for
 * that of the default value.
 */
async function shownWorkspaces({ store, workspaces }: TwoTools): Promise<readonly string[]> {
  // The store is not opened to list them.
  if (isAlone(store)) return [];
  // An unreachable store does not prevent the list. A call will report it.
  const known: readonly string[] = await workspaces().catch(() => []);
  if (known.length === 0) return [];
  const own = store.workspace;
  const others = known.filter((id) => id !== own && id !== defaultWorkspace);
  const last = known.includes(defaultWorkspace) && own !== defaultWorkspace ? [defaultWorkspace] : [];
  return [...labelWorkspaces(store, [own, ...others, ...last]).values()];
}

async function labelOf(store: Store, workspaces: WorkspaceIds, id: string): Promise<string> {
  const ids = isAlone(store) ? [] : await workspaces().catch(() => []);
  return labelWorkspaces(store, [...ids, id]).get(id) ?? id;
}
