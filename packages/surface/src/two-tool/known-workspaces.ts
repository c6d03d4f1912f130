import type { Store } from "@toolpacks/core";
import type { WorkspaceIds } from "./call-context.ts";

/** Caches the workspace ids until the store changes: every call needs them, and they rarely change. */
export function knownWorkspaces(store: Store, read: WorkspaceIds): WorkspaceIds {
  let known: { readonly generation: number; readonly ids: Promise<readonly string[]> } | undefined;
  return async () => {
    const generation = await store.generation();
    if (known?.generation !== generation) known = { generation, ids: read() };
    const { ids } = known;
    // A failed read is not cached.
    ids.catch(() => (known = undefined));
    return ids;
  };
}
