import type { Store } from "@toolpacks/core";

/**
 * The label of each workspace for people and models: its name, or its id if another workspace has the same name or id.
 *
 * @returns the label of each id, in the order of `ids`
 */
export function labelWorkspaces(store: Store, ids: Iterable<string>): ReadonlyMap<string, string> {
  const names = new Map([...ids].map((id) => [id, store.workspaceName(id)]));
  const count = (name: string) => [...names].filter(([id, other]) => other === name || id === name).length;
  return new Map([...names].map(([id, name]) => [id, count(name) === 1 ? name : id]));
}

/** The id of the workspace with this id or label. Undefined if there is none. */
export function findLabelled(labels: ReadonlyMap<string, string>, named: string): string | undefined {
  if (labels.has(named)) return named;
  return [...labels].find(([, label]) => label === named)?.[0];
}
