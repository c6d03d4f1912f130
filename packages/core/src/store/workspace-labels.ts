import type { Store } from "./store.ts";

/**
 * What people and models call each of these workspaces: its name, or its id where another one of them has that name or that id.
 *
 * @returns the label of each id, in the order given
 */
export function labelWorkspaces(store: Store, ids: Iterable<string>): ReadonlyMap<string, string> {
  const names = new Map([...ids].map((id) => [id, store.workspaceName(id)]));
  const count = (name: string) => [...names].filter(([id, other]) => other === name || id === name).length;
  return new Map([...names].map(([id, name]) => [id, count(name) === 1 ? name : id]));
}

/** The id of the workspace that a caller names by its id or its label. Undefined when none of them is meant. */
export function findLabelled(labels: ReadonlyMap<string, string>, named: string): string | undefined {
  if (labels.has(named)) return named;
  return [...labels].find(([, label]) => label === named)?.[0];
}
