import type { Store } from "@toolpacks/core";
import type { WorkspaceIds } from "./call-context.ts";

/** Ids of workspaces, read anew when anything in the store was written since: every call asks for them, and few change them. */
export function knownWorkspaces(store: Store, read: WorkspaceIds): WorkspaceIds {
  let known: { readonly generation: number; readonly ids: Promise<readonly string[]> } | undefined;
  return async () => {
    const generation = await store.generation();
    if (known?.generation !== generation) known = { generation, ids: read() };
    const { ids } = known;
    // One that could not be read is asked for again.
    ids.catch(() => (known = undefined));
    return ids;
  };
}
