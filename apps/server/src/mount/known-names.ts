import { coreFacet, namesOf } from "@toolpacks/core";
import { checkNames, type KnownNames, type NamedAccess } from "@toolpacks/access";
import { rootProblems, workspaceProblems } from "./caller-rights.ts";
import type { Mounting } from "./mounting.ts";

/** The facets and tools of a mounting that an access can name. Other servers are not started. */
export async function readKnownNames({ packs, leftOut, withheld }: Mounting): Promise<KnownNames> {
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

/** What tokens and scopes cannot grant on this server, of names, roots and workspaces: one line for each of them that has a problem. */
export async function accessNotes(accesses: readonly NamedAccess[], mounting: Mounting): Promise<readonly string[]> {
  const { settings } = mounting;
  const hasNames = accesses.some(({ access: { facets = [], tools = [] } }) => facets.length + tools.length > 0);
  const known = hasNames ? await readKnownNames(mounting) : undefined;
  const notes = accesses.flatMap(({ name, access }) => {
    const problems = [
      ...(known === undefined ? [] : checkNames(access, known)),
      ...rootProblems(settings, access.roots),
      ...workspaceProblems(settings, access.workspaces),
    ];
    return problems.length === 0 ? [] : [`${name}: ${problems.join("; ")}`];
  });
  if (notes.length <= maxNotes) return notes;
  const more = `${notes.length - maxNotes} more tokens or scopes have names, roots or workspaces that cannot be granted`;
  return [...notes.slice(0, maxNotes), more];
}

const maxNotes = 20;
