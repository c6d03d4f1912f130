import { coreFacet, namesOf } from "@toolpacks/core";
import { type Access, checkNames, type GrantedNames, type KnownNames, type NamedAccess } from "@toolpacks/access";
import type { Mounting } from "./mounting.ts";

type NamedMounting = Pick<Mounting, "packs" | "leftOut" | "withheld">;

/** The facets and tools of a mounting that an access can name. Other servers are not started. */
export async function readKnownNames({ packs, leftOut, withheld }: NamedMounting): Promise<KnownNames> {
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
  const names = await mounting.knownNames();
  return [...new Set(grants.flatMap((grant) => checkNames(grant, names)))];
}

/** Every problem of an access on this server: names that grant nothing, roots and workspaces that cannot be granted. */
export async function accessProblems(access: Access, mounting: Mounting): Promise<readonly string[]> {
  const { rootProblems, workspaceProblems } = await import("./caller-rights.ts");
  const { settings } = mounting;
  return [
    ...(await unknownNames([access], mounting)),
    ...rootProblems(settings, access.roots),
    ...workspaceProblems(settings, access.workspaces),
  ];
}

/** What tokens and scopes cannot grant on this server: one line for each of them that has a problem. */
export async function accessNotes(accesses: readonly NamedAccess[], mounting: Mounting): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const { name, access } of accesses) {
    const problems = await accessProblems(access, mounting);
    if (problems.length > 0) notes.push(`${name}: ${problems.join("; ")}`);
  }
  return notes.length <= maxNotes
    ? notes
    : [
        ...notes.slice(0, maxNotes),
        `${notes.length - maxNotes} more tokens or scopes have names, roots or workspaces that cannot be granted`,
      ];
}

const maxNotes = 20;
