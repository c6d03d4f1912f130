import type { Pack } from "./pack.ts";
import type { CatalogEntry, Tool } from "./tool.ts";

/** The tools of each pack, in the order of the packs. */
export type ToolLists = readonly (readonly Tool[])[];

/** Every tool of every mounted pack by its names, without any policy. */
export interface CatalogIndex {
  /** In mounting order, deprecated tools included. */
  readonly entries: readonly CatalogEntry[];
  /** The entries by name and by alias. */
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  /** Every name and alias that a pack claims, also of tools that lose their name to another pack. */
  readonly claimed: ReadonlySet<string>;
}

/** Builds the index. @throws Error when tools of two local packs share a name */
export function buildIndex(packs: readonly Pack[], tools: ToolLists): CatalogIndex {
  const owners = new Map<string, string>();
  const all = packs.flatMap(({ name: facet }, at) => (tools[at] ?? []).map((tool) => ({ tool, facet })));
  const prefixes = new Map(packs.flatMap(({ name, remote }) => (remote ? [[name, remote.prefix.length]] : [])));
  // The tools of a remote server can change at any time, so a remote tool whose name is already used is left out. If two servers share a name,
  // the server with the longer prefix keeps it.
  const rank = ({ facet }: CatalogEntry) => prefixes.get(facet) ?? Number.MAX_VALUE;
  const localFirst = all.toSorted((a, b) => rank(b) - rank(a));
  const taken = new Set<CatalogEntry>();
  for (const entry of localFirst) {
    const { tool, facet } = entry;
    const names = [tool.name, ...tool.aliases];
    if (prefixes.has(facet) && names.some((name) => owners.has(name))) taken.add(entry);
    else for (const name of names) claim(owners, name, facet);
  }
  const entries = all.filter((entry) => !taken.has(entry));
  const byName = new Map(
    entries.flatMap((entry) => [entry.tool.name, ...entry.tool.aliases].map((name) => [name, entry])),
  );
  return { entries, byName, claimed: new Set(owners.keys()) };
}

function claim(owners: Map<string, string>, name: string, pack: string): void {
  const owner = owners.get(name);
  if (owner !== undefined) throw new Error(`tool ${name} is in pack ${owner} and in pack ${pack}: rename one of them`);
  owners.set(name, pack);
}

/** Whether a tool of the pack may have the same name as a tool of a wanted pack. */
export function mayShareNames(pack: Pack, wanted: readonly Pack[]): boolean {
  if (wanted.includes(pack)) return true;
  const { remote } = pack;
  const prefixes = wanted.flatMap((one) => one.remote?.prefix ?? []);
  return remote === undefined ? prefixes.length > 0 : prefixes.some((prefix) => remote.prefix.startsWith(prefix));
}

/** The remote pack whose prefix the name starts with. If several match, such as `git_` and `git_lab_`, the one with the longest prefix. */
export function remoteOf(packs: readonly Pack[], name: string): Pack | undefined {
  const length = ({ remote }: Pack) => remote?.prefix.length ?? 0;
  const matching = packs.filter(({ remote }) => remote !== undefined && name.startsWith(remote.prefix));
  return matching.sort((a, b) => length(b) - length(a))[0];
}
