import type { Store } from "@toolpacks/core";
import type { WorkspaceNames } from "./call-context.ts";

/** Names of workspaces, read anew when anything in the store was written since: every call asks for them, and few change them. */
export function knownWorkspaces(store: Store, read: WorkspaceNames): WorkspaceNames {
  let known: { readonly generation: number; readonly names: Promise<readonly string[]> } | undefined;
  return async () => {
    const generation = await store.generation();
    if (known?.generation !== generation) known = { generation, names: read() };
    const { names } = known;
    // One that could not be read is asked for again.
    names.catch(() => (known = undefined));
    return names;
  };
}
