import { namesOf } from "@toolpacks/core";
import { coreFacet } from "@toolpacks/surface";
import type { Access, GrantedNames } from "../access/access.ts";
import { checkNames, type KnownNames } from "../access/check-names.ts";
import type { Mounting } from "./open-plan.ts";

/** The facets and tools of a mounting that an access can name. Other servers are not started. */
export async function knownNames({ packs, leftOut, withheld }: Mounting): Promise<KnownNames> {
  const own = packs.filter(({ remote }) => remote === undefined);
  const tools = (await Promise.all(own.map((pack) => pack.tools()))).flat();
  const uncallable = [...withheld, ...own.flatMap((pack) => pack.withheld)];
  return {
    facets: [...new Set([coreFacet, "store", "relay", ...[...packs, ...leftOut].map(({ name }) => name)])],
    tools: ["relay_read", ...tools.flatMap(namesOf), ...uncallable.flatMap(({ names = [] }) => names)],
    toolPrefixes: [
      ...packs.flatMap(({ remote }) => remote?.prefix ?? []),
      ...uncallable.flatMap((one) => one.prefix ?? []),
    ],
    isIncomplete: leftOut.some(({ hasUnknownTools }) => hasUnknownTools),
  };
}

/** The names that grant nothing on this server, with similar names: one line each. */
export async function unknownNames(grants: readonly GrantedNames[], mounting: Mounting): Promise<readonly string[]> {
  if (grants.every(({ facets = [], tools = [] }) => facets.length + tools.length === 0)) return [];
  const known = await knownNames(mounting);
  return [...new Set(grants.flatMap((grant) => checkNames(grant, known)))];
}

/** Every problem of an access on this server: names that grant nothing, roots and workspaces that cannot be granted. */
export async function accessProblems(access: Access, mounting: Mounting): Promise<readonly string[]> {
  const { rootProblems, workspaceProblems } = await import("../access/narrow-settings.ts");
  const { settings } = mounting;
  return [
    ...(await unknownNames([access], mounting)),
    ...rootProblems(settings, access.roots),
    ...workspaceProblems(settings, access.workspaces),
  ];
}
