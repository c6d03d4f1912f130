import { nearest } from "./nearest.ts";
import type { Pack, Withheld } from "./pack.ts";
import type { Failure } from "./tool-error.ts";
import type { Tool } from "./tool.ts";

/** A callable tool and the facet it belongs to. */
export interface CatalogEntry {
  readonly tool: Tool;
  readonly facet: string;
}

/** The result of looking up a name: a tool, with the deprecated alias if one was used, or the reason why no tool can be called. */
export type Resolution = (CatalogEntry & { readonly alias?: string }) | { readonly failure: Failure };

/** Every tool of every mounted pack, under one policy. The tools of a pack are loaded at the first use. */
export interface Catalog {
  /** The mounted packs whose facet is not denied, in mounting order. */
  readonly packs: readonly Pack[];
  readonly readOnly: boolean;
  /** Every tool that can be called and is not deprecated, in mounting order. Lists and searches show only these. */
  entries(): Promise<readonly CatalogEntry[]>;
  /** The entries of the given facets. Loads the tools of another pack only if a tool of it may have the same name as one of these. */
  entriesOf(facets: readonly string[]): Promise<readonly CatalogEntry[]>;
  /** Finds a tool by its name or an alias. For an unknown name it resolves to a failure that suggests similar names. */
  resolve(name: string): Promise<Resolution>;
  /** The synchronous form of `resolve`. Undefined while the tools of a pack are not loaded. */
  resolveIfLoaded(name: string): Resolution | undefined;
}

export interface CatalogOptions {
  readonly packs: readonly Pack[];
  /** Facets and tool names that can be neither listed, found nor called. */
  readonly deny?: readonly string[];
  /** Refuses every tool that mutates. Default false. */
  readonly readOnly?: boolean;
  /** Tools of packs that are not mounted. */
  readonly withheld?: readonly Withheld[];
  /** The hint for an unknown name that is similar to no known name. Default: a hint to call a tool of the list. */
  readonly findHint?: () => string;
}

/**
 * Creates a catalog.
 *
 * @throws Error, from `entries` and `resolve`, when two tools share a name or a denied name is neither facet nor tool.
 */
export function createCatalog(options: CatalogOptions): Catalog {
  const { packs, deny = [], readOnly = false, withheld = [], findHint = () => "Call a tool of the list." } = options;
  const policy = { denied: new Set(deny), readOnly };
  let cached: { readonly tools: Tools; readonly index: CatalogIndex } | undefined;
  const changing = packs.flatMap((pack, at) => (pack.remote === undefined ? [] : [{ at, pack, remote: pack.remote }]));
  /** Loads the tools of every pack once, and later only of packs whose tools may change. */
  const loadTools = async (): Promise<Tools> => {
    if (cached === undefined) return Promise.all(packs.map((pack) => pack.tools()));
    const tools = [...cached.tools];
    for (const { at, pack, remote } of changing) tools[at] = remote.knownTools() ?? (await pack.tools());
    return tools;
  };
  /** The cached index. Undefined if the tools of a pack have changed: the pack then returns another array. */
  const currentIndex = (): CatalogIndex | undefined => {
    for (const { at, remote } of changing) if (remote.knownTools() !== cached?.tools[at]) return undefined;
    return cached?.index;
  };
  const load = async (): Promise<CatalogIndex> => {
    const current = currentIndex();
    if (current !== undefined) return current;
    const tools = await loadTools();
    if (cached === undefined || tools.some((ofPack, at) => ofPack !== cached?.tools[at])) {
      const all = [...packs.flatMap((pack) => pack.withheld), ...withheld];
      cached = { tools, index: buildIndex({ packs, tools, policy, withheld: all }) };
    }
    return cached.index;
  };
  return {
    packs: packs.filter((pack) => !policy.denied.has(pack.name)),
    readOnly,
    entries: async () => (await load()).callable,
    async entriesOf(facets) {
      const wanted = packs.filter(({ name }) => facets.includes(name));
      const tools = await Promise.all(
        packs.map(async (pack) => (mayShareNames(pack, wanted) ? pack.tools() : (pack.remote?.knownTools() ?? []))),
      );
      return assignOwners({ packs, tools, policy }).kept.flatMap(({ entry, failure }) =>
        failure === undefined && isListed(entry) && facets.includes(entry.facet) ? [entry] : [],
      );
    },
    resolve: async (name) => resolveIn(await load(), { packs, findHint }, name),
    resolveIfLoaded(name) {
      const current = currentIndex();
      return current && resolveIn(current, { packs, findHint }, name);
    },
  };
}

type Tools = readonly (readonly Tool[])[];

interface CatalogIndex {
  readonly callable: readonly CatalogEntry[];
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  readonly byAlias: ReadonlyMap<string, CatalogEntry>;
  readonly refused: ReadonlyMap<string, Failure>;
  readonly withheld: readonly Withheld[];
}

interface Policy {
  readonly denied: ReadonlySet<string>;
  readonly readOnly: boolean;
}

interface CatalogSources {
  readonly packs: readonly Pack[];
  /** The tools of each pack, in the order of `packs`. */
  readonly tools: Tools;
  readonly policy: Policy;
  readonly withheld: readonly Withheld[];
}

function buildIndex({ packs, tools, policy, withheld }: CatalogSources): CatalogIndex {
  const byName = new Map<string, CatalogEntry>();
  const byAlias = new Map<string, CatalogEntry>();
  const refused = new Map<string, Failure>();
  const { kept, owners } = assignOwners({ packs, tools, policy });
  for (const { entry, failure } of kept) {
    const { tool } = entry;
    if (failure === undefined) byName.set(tool.name, entry);
    else refused.set(tool.name, failure);
    for (const alias of tool.aliases) {
      if (failure === undefined) byAlias.set(alias, entry);
      else refused.set(alias, failure);
    }
  }
  const facets = packs.map((pack) => pack.name);
  for (const name of policy.denied) {
    if (facets.includes(name) || owners.has(name) || withheldFor(withheld, name)) continue;
    if (remoteOf(packs, name) !== undefined) continue;
    throw new Error(`deny: ${name} is neither a facet nor a tool; facets are ${facets.join(", ") || "none"}`);
  }
  return {
    callable: [...byName.values()].filter(isListed),
    byName,
    byAlias,
    refused,
    withheld,
  };
}

/** Whether a tool of the pack may have the same name as a tool of a wanted pack. */
function mayShareNames(pack: Pack, wanted: readonly Pack[]): boolean {
  if (wanted.includes(pack)) return true;
  const { remote } = pack;
  const prefixes = wanted.flatMap((one) => one.remote?.prefix ?? []);
  return remote === undefined ? prefixes.length > 0 : prefixes.some((prefix) => remote.prefix.startsWith(prefix));
}

interface Ownership {
  /** The entries that keep their names, in mounting order. */
  readonly kept: readonly CheckedEntry[];
  /** The name of the pack that owns each tool name and alias. */
  readonly owners: ReadonlyMap<string, string>;
}

/** Decides which pack owns each tool name. @throws Error when tools of two local packs share a name */
function assignOwners({ packs, tools, policy }: Pick<CatalogSources, "packs" | "tools" | "policy">): Ownership {
  const owners = new Map<string, string>();
  const entries = packs.flatMap((pack, at) => applyPolicy({ pack, tools: tools[at] ?? [], policy }));
  const prefixes = new Map(packs.flatMap(({ name, remote }) => (remote ? [[name, remote.prefix.length]] : [])));
  // The tools of a remote server can change at any time, so a remote tool whose name is already used is left out. If two servers share a name,
  // the server with the longer prefix keeps it.
  const rank = ({ entry }: CheckedEntry) => prefixes.get(entry.facet) ?? Number.MAX_VALUE;
  const localFirst = entries.toSorted((a, b) => rank(b) - rank(a));
  const taken = new Set<CheckedEntry>();
  for (const one of localFirst) {
    const { tool, facet } = one.entry;
    const names = [tool.name, ...tool.aliases];
    if (prefixes.has(facet) && names.some((name) => owners.has(name))) taken.add(one);
    else for (const name of names) claim(owners, name, facet);
  }
  return { kept: entries.filter((one) => !taken.has(one)), owners };
}

interface CheckedEntry {
  readonly entry: CatalogEntry;
  /** Why the tool cannot be called. Undefined if it can. */
  readonly failure: Failure | undefined;
}

function applyPolicy({ pack, tools, policy }: { pack: Pack; tools: readonly Tool[]; policy: Policy }): CheckedEntry[] {
  const facet = pack.name;
  return tools.map((tool) => ({ entry: { tool, facet }, failure: refusal(tool, facet, policy) }));
}

/** The remote pack whose prefix the name starts with. If several match, such as `git_` and `git_lab_`, the one with the longest prefix. */
function remoteOf(packs: readonly Pack[], name: string): Pack | undefined {
  const length = ({ remote }: Pack) => remote?.prefix.length ?? 0;
  const matching = packs.filter(({ remote }) => remote !== undefined && name.startsWith(remote.prefix));
  return matching.sort((a, b) => length(b) - length(a))[0];
}

function isListed({ tool }: CatalogEntry): boolean {
  return tool.deprecated === undefined;
}

function claim(owners: Map<string, string>, name: string, pack: string): void {
  const owner = owners.get(name);
  if (owner !== undefined) throw new Error(`tool ${name} is in pack ${owner} and in pack ${pack}: rename one of them`);
  owners.set(name, pack);
}

function refusal(tool: Tool, facet: string, { denied, readOnly }: Policy): Failure | undefined {
  const by = [facet, tool.name, ...tool.aliases].find((name) => denied.has(name));
  if (by !== undefined) {
    return {
      code: "denied",
      message: `${tool.name} is denied by this server's configuration`,
      hint: `The user can allow it: remove ${by} from deny.`,
    };
  }
  if (readOnly && tool.mutates) {
    return {
      code: "denied",
      message: `${tool.name} changes things, and this server is read-only`,
      hint: "The user can allow it: start the server without --read-only.",
    };
  }
  return undefined;
}

function resolveIn(
  index: CatalogIndex,
  { packs, findHint }: Required<Pick<CatalogOptions, "packs" | "findHint">>,
  name: string,
): Resolution {
  const entry = index.byName.get(name);
  if (entry !== undefined) return entry;
  const aliased = index.byAlias.get(name);
  if (aliased !== undefined) return { ...aliased, alias: name };
  const failure = index.refused.get(name) ?? withheldFailure(index, name);
  return { failure: failure ?? remoteOf(packs, name)?.remote?.missing(name) ?? unknownTool(index, name, findHint) };
}

function withheldFailure(index: CatalogIndex, name: string): Failure | undefined {
  const found = withheldFor(index.withheld, name);
  return found && { code: "denied", message: `${name} cannot be called: ${found.reason}`, hint: found.hint };
}

function withheldFor(withheld: readonly Withheld[], name: string): Withheld | undefined {
  return withheld.find(
    ({ names, prefix }) => (names?.includes(name) ?? false) || (prefix !== undefined && name.startsWith(prefix)),
  );
}

function unknownTool(index: CatalogIndex, name: string, findHint: () => string): Failure {
  const near = nearest(
    name,
    index.callable.map(({ tool }) => tool.name),
  );
  const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  const hint = near.length > 0 ? `Nearest: ${near.join(", ")}.` : findHint();
  const unnamed = index.withheld.find(({ names, prefix }) => names === undefined && prefix === undefined);
  return {
    code: "not_found",
    message: `no tool is named ${JSON.stringify(shown)}`,
    hint: unnamed === undefined ? hint : `${hint} Or ${unnamed.reason}. ${unnamed.hint}`,
  };
}
