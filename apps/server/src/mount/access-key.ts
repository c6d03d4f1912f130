import type { Grant } from "@toolpacks/core";
import type { PrincipalAccess } from "@toolpacks/access";

/** The same text for accesses that grant the same surface. The rate is left out. */
export function accessKey(access: PrincipalAccess | undefined): string {
  if (access === undefined) return "";
  const { grants, roots, workspaces } = access;
  return JSON.stringify([grants.map(grantKey).toSorted(), roots ?? null, sortedAfterFirst(workspaces)]);
}

function grantKey({ facets, tools, readOnly = false }: Grant): string {
  return JSON.stringify([sorted(facets), sorted(tools), readOnly]);
}

function sorted(names: readonly string[] | undefined): readonly string[] | null {
  return names === undefined ? null : [...new Set(names)].toSorted();
}

/** The first workspace has a meaning of its own. */
function sortedAfterFirst(ids: readonly string[] | undefined): readonly string[] | null {
  const [own, ...others] = new Set(ids);
  return own === undefined ? null : [own, ...others.toSorted()];
}
