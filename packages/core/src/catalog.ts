import { nearest } from "./nearest.ts";
import type { Pack, Withheld } from "./pack.ts";
import type { Failure } from "./tool-error.ts";
import type { Tool } from "./tool.ts";

/** A callable tool and the facet it belongs to. */
export interface CatalogEntry {
  readonly tool: Tool;
  readonly facet: string;
}

/** What a name leads to: a tool (perhaps by a deprecated alias), or why it cannot be called. */
export type Resolution = (CatalogEntry & { readonly alias?: string }) | { readonly failure: Failure };

/** Every tool of every mounted pack, under one policy. Packs are asked for their tools at the first use. */
export interface Catalog {
  /** The mounted packs that are not denied as a whole, in mounting order. */
  readonly packs: readonly Pack[];
  readonly readOnly: boolean;
  /** Every tool that can be called and is not deprecated, in mounting order. Lists and searches show no other. */
  entries(): Promise<readonly CatalogEntry[]>;
  /** The same, of these facets only. Another pack is asked for its tools only where one of them may have the name of one of these. */
  entriesOf(facets: readonly string[]): Promise<readonly CatalogEntry[]>;
  /** Finds a tool by its name or an alias. Never rejects for an unknown name: the failure says what is near. */
  resolve(name: string): Promise<Resolution>;
  /** The same at once, so that a call need not wait; undefined while packs have still to be asked for their tools. */
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
  /** How a caller finds tools, said of a name that is like no other. Default: by the tool list. */
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
  let index: { readonly from: Tools; readonly made: CatalogIndex } | undefined;
  const changing = packs.flatMap((pack, at) => (pack.remote === undefined ? [] : [{ at, pack, remote: pack.remote }]));
  /** Asks every pack once, and then those alone that may come to have other tools. */
  const ask = async (): Promise<Tools> => {
    if (index === undefined) return Promise.all(packs.map((pack) => pack.tools()));
    const from = [...index.from];
    for (const { at, pack, remote } of changing) from[at] = remote.knownTools() ?? (await pack.tools());
    return from;
  };
  /** Another array is how a pack says that its tools have changed. */
  const loaded = (): CatalogIndex | undefined => {
    for (const { at, remote } of changing) if (remote.knownTools() !== index?.from[at]) return undefined;
    return index?.made;
  };
  const load = async (): Promise<CatalogIndex> => {
    const current = loaded();
    if (current !== undefined) return current;
    const from = await ask();
    if (index === undefined || from.some((tools, at) => tools !== index?.from[at])) {
      const all = [...packs.flatMap((pack) => pack.withheld), ...withheld];
      index = { from, made: buildIndex({ packs, tools: from, policy, withheld: all }) };
    }
    return index.made;
  };
  return {
    packs: packs.filter((pack) => !policy.denied.has(pack.name)),
    readOnly,
    entries: async () => (await load()).callable,
    async entriesOf(facets) {
      const wanted = packs.filter(({ name }) => facets.includes(name));
      const tools = await Promise.all(
        packs.map(async (pack) => (mayOwnNames(pack, wanted) ? pack.tools() : (pack.remote?.knownTools() ?? []))),
      );
      return owned({ packs, tools, policy }).kept.flatMap(({ entry, failure }) =>
        failure === undefined && isListed(entry) && facets.includes(entry.facet) ? [entry] : [],
      );
    },
    resolve: async (name) => resolveIn(await load(), { packs, findHint }, name),
    resolveIfLoaded(name) {
      const current = loaded();
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

interface Ingredients {
  readonly packs: readonly Pack[];
  /** Each pack's. */
  readonly tools: Tools;
  readonly policy: Policy;
  readonly withheld: readonly Withheld[];
}

function buildIndex({ packs, tools, policy, withheld }: Ingredients): CatalogIndex {
  const byName = new Map<string, CatalogEntry>();
  const byAlias = new Map<string, CatalogEntry>();
  const refused = new Map<string, Failure>();
  const { kept, owners } = owned({ packs, tools, policy });
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

/** Whether a pack's tools must be known to tell who owns the names of the wanted packs' tools. */
function mayOwnNames(pack: Pack, wanted: readonly Pack[]): boolean {
  if (wanted.includes(pack)) return true;
  const { remote } = pack;
  const prefixes = wanted.flatMap((one) => one.remote?.prefix ?? []);
  return remote === undefined ? prefixes.length > 0 : prefixes.some((prefix) => remote.prefix.startsWith(prefix));
}

interface Owned {
  /** In mounting order. */
  readonly kept: readonly LoadedEntry[];
  /** The pack of each name and alias. */
  readonly owners: ReadonlyMap<string, string>;
}

/** The one place that decides whose a name is. @throws Error when tools of two of our own packs share a name */
function owned({ packs, tools, policy }: Pick<Ingredients, "packs" | "tools" | "policy">): Owned {
  const owners = new Map<string, string>();
  const judged = packs.flatMap((pack, at) => judge({ pack, tools: tools[at] ?? [], policy }));
  const prefixes = new Map(packs.flatMap(({ name, remote }) => (remote ? [[name, remote.prefix.length]] : [])));
  // Another server's tools change at any time: one whose name is taken is left out, and nothing else suffers. Of two servers, it is the one's
  // with the longer prefix, whose every tool is called so.
  const rank = ({ entry }: LoadedEntry) => prefixes.get(entry.facet) ?? Number.MAX_VALUE;
  const ownFirst = judged.toSorted((a, b) => rank(b) - rank(a));
  const taken = new Set<LoadedEntry>();
  for (const one of ownFirst) {
    const { tool, facet } = one.entry;
    const names = [tool.name, ...tool.aliases];
    if (prefixes.has(facet) && names.some((name) => owners.has(name))) taken.add(one);
    else for (const name of names) claim(owners, name, facet);
  }
  return { kept: judged.filter((one) => !taken.has(one)), owners };
}

interface LoadedEntry {
  readonly entry: CatalogEntry;
  /** Why it cannot be called. */
  readonly failure: Failure | undefined;
}

function judge({ pack, tools, policy }: { pack: Pack; tools: readonly Tool[]; policy: Policy }): LoadedEntry[] {
  const facet = pack.name;
  return tools.map((tool) => ({ entry: { tool, facet }, failure: refusal(tool, facet, policy) }));
}

/** The pack of another server whose tools' names begin as this one does; of `git_` and `git_lab_`, the longer. */
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
  const by = [facet, tool.name].find((name) => denied.has(name));
  if (by !== undefined) {
    return {
      code: "denied",
      message: `${tool.name} is denied by this server's configuration`,
      hint: `Whoever runs the server can allow it: remove ${by} from deny.`,
    };
  }
  if (readOnly && tool.mutates) {
    return {
      code: "denied",
      message: `${tool.name} changes things, and this server is read-only`,
      hint: "Whoever runs the server can allow it: start without --read-only.",
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
  return { failure: failure ?? remoteOf(packs, name)?.remote?.missing(name) ?? unknown(index, name, findHint) };
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

function unknown(index: CatalogIndex, name: string, findHint: () => string): Failure {
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
