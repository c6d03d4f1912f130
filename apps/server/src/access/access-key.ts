import type { Access } from "./access.ts";

const keys = new WeakMap<Access, string>();

/** The same text for accesses that grant the same surface. The rate is left out. */
export function accessKey(access: Access | undefined): string {
  if (access === undefined) return "";
  let key = keys.get(access);
  if (key === undefined) keys.set(access, (key = keyOf(access)));
  return key;
}

function keyOf({ facets, tools, readOnly = false, roots, workspaces }: Access): string {
  return JSON.stringify([sorted(facets), sorted(tools), readOnly, roots ?? null, sortedAfterFirst(workspaces)]);
}

function sorted(names: readonly string[] | undefined): readonly string[] | null {
  return names === undefined ? null : [...new Set(names)].toSorted();
}

/** The first workspace has a meaning of its own. */
export function sortedAfterFirst(ids: readonly string[] | undefined): readonly string[] | null {
  const [own, ...others] = new Set(ids);
  return own === undefined ? null : [own, ...others.toSorted()];
}
