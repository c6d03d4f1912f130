import { buildIndex, mayShareNames, remoteOf, type CatalogIndex, type ToolLists } from "./catalog-index.ts";
import { clip, nearest } from "@toolpacks/schema";
import type { Pack, Withheld } from "./pack.ts";
import { isGranted, isToolGranted, namesOf, readOnlyRefusal, rightsKey, type Rights } from "./rights.ts";
import type { Kind } from "./store.ts";
import type { Failure } from "./tool-error.ts";
import type { CatalogEntry, Resolution, ToolAccess } from "./tool.ts";
import { allowedPacks, viewPacks, type PackView } from "./view-packs.ts";

/**
 * The tools of the mounted packs that the holder of some rights may use. What the rights leave out is in no list and no lookup finds it. The tools of
 * a pack are loaded at the first use.
 */
export interface Catalog extends PackView, Omit<ToolAccess, "dispatch"> {
  /** Every tool that can be called and is not deprecated, in mounting order. Lists and searches show only these. */
  readonly entries: () => Promise<readonly CatalogEntry[]>;
  /** The entries of the given facets. Loads the tools of another pack only if a tool of it may have the same name as one of these. */
  entriesOf(facets: readonly string[]): Promise<readonly CatalogEntry[]>;
  /**
   * Finds a tool by its name or an alias. If the server's configuration refuses the tool, the failure says so. For an unknown name, and a name that
   * the caller's token does not grant, the failure suggests similar names.
   */
  readonly resolve: (name: string) => Promise<Resolution>;
  /** The synchronous form of `resolve`. Undefined while the tools of a pack are not loaded. */
  resolveIfLoaded(name: string): Resolution | undefined;
}

/** Every tool of every mounted pack, without a policy. */
export interface FullCatalog extends Catalog {
  /**
   * The catalog as the holder of these rights sees it. All views share the loaded packs and the index of their tools. The same rights get the same view.
   *
   * @param findHint the hint for an unknown name that is similar to no known name. Default: a hint to call a tool of the list.
   */
  view(rights: Rights, findHint?: string): Promise<Catalog>;
}

export interface CatalogOptions {
  readonly packs: readonly Pack[];
  /** Tools of packs that are not mounted. */
  readonly withheld?: readonly Withheld[];
}

const defaultFindHint = "Call a tool of the list.";

/** Maximum number of cached views. The oldest are dropped first, and created again on demand. */
const maxViews = 2_500;

/**
 * Creates a catalog.
 *
 * @throws Error, from `entries` and `resolve`, when two tools share a name or a denied name is neither facet nor tool.
 */
export function createCatalog({ packs, withheld = [] }: CatalogOptions): FullCatalog {
  const source = createSource(packs, withheld);
  const views = new Map<string, Promise<Catalog>>();
  return {
    ...createView(source, { rights: {}, packs, findHint: defaultFindHint }),
    view(rights, findHint = defaultFindHint) {
      const key = `${rightsKey(rights)}${findHint}`;
      let view = views.get(key);
      if (view === undefined) {
        view = allowedPacks(packs, rights).then((allowed) => createView(source, { rights, packs: allowed, findHint }));
        views.set(key, view);
        // Packs that could not be loaded are tried again.
        view.catch(() => views.delete(key));
        if (views.size > maxViews) views.delete(views.keys().next().value ?? "");
      }
      return view;
    },
  };
}

type CatalogSource = ReturnType<typeof createSource>;

/** Creates the index of the tools of the mounted packs. All views read the same one. */
function createSource(packs: readonly Pack[], withheld: readonly Withheld[]) {
  const changing = packs.flatMap((pack, at) => (pack.remote === undefined ? [] : [{ at, pack, remote: pack.remote }]));
  let cached: { readonly tools: ToolLists; readonly index: CatalogIndex } | undefined;
  const loadTools = async (): Promise<ToolLists> => {
    if (cached === undefined) return Promise.all(packs.map((pack) => pack.tools()));
    const tools = [...cached.tools];
    for (const { at, pack, remote } of changing) tools[at] = remote.knownTools() ?? (await pack.tools());
    return tools;
  };
  /** The current index. Undefined if the tools of a pack are not loaded or have changed: a remote then returns another array. */
  const current = (): CatalogIndex | undefined => {
    for (const { at, remote } of changing) if (remote.knownTools() !== cached?.tools[at]) return undefined;
    return cached?.index;
  };
  return {
    packs,
    /** Withheld tools, with the pack that declares them, if it is mounted. */
    withheld: [
      ...packs.flatMap((pack) => pack.withheld.map((tools) => ({ facet: pack.name, tools }))),
      ...withheld.map((tools) => ({ facet: undefined, tools })),
    ],
    current,
    /** Loads the tools of every pack once, and later only of packs whose tools may change. */
    async load(): Promise<CatalogIndex> {
      const index = current();
      if (index !== undefined) return index;
      const tools = await loadTools();
      if (cached === undefined || tools.some((ofPack, at) => ofPack !== cached?.tools[at])) {
        cached = { tools, index: buildIndex(packs, tools) };
      }
      return cached.index;
    },
    /** An index with at least the tools of these facets, under the names that the full index gives them. */
    async loadOf(facets: readonly string[]): Promise<CatalogIndex> {
      const whole = current();
      if (whole !== undefined) return whole;
      const wanted = packs.filter(({ name }) => facets.includes(name));
      const tools = await Promise.all(
        packs.map(async (pack) => (mayShareNames(pack, wanted) ? pack.tools() : (pack.remote?.knownTools() ?? []))),
      );
      return buildIndex(packs, tools);
    },
  };
}

interface ViewOptions {
  readonly rights: Rights;
  /** The packs of which the rights allow anything. */
  readonly packs: readonly Pack[];
  readonly findHint: string;
}

function createView(source: CatalogSource, { rights, packs, findHint }: ViewOptions): Catalog {
  const { deny = [], grants } = rights;
  const toolIn = kindFilter(source.packs, rights);
  const isUsable = (entry: CatalogEntry) => isToolGranted(entry, rights) && refusal(entry, rights) === undefined;
  const filtered = new WeakMap<CatalogIndex, readonly CatalogEntry[]>();
  const entriesIn = (index: CatalogIndex): readonly CatalogEntry[] => {
    const known = filtered.get(index);
    if (known !== undefined) return known;
    const entries = index.entries.flatMap((entry) => {
      const isListed = entry.tool.deprecated === undefined && isUsable(entry);
      return isListed ? (toolIn(entry) ?? []) : [];
    });
    filtered.set(index, entries);
    return entries;
  };
  let checked: CatalogIndex | undefined;
  const check = (index: CatalogIndex): CatalogIndex => {
    if (checked !== index) checkDenied(source, index, deny);
    return (checked = index);
  };
  const resolveIn = (index: CatalogIndex, name: string): Resolution => {
    const found = index.byName.get(name);
    if (found !== undefined && isToolGranted(found, rights)) {
      const failure = refusal(found, rights);
      if (failure !== undefined) return { failure, refused: found };
      const entry = toolIn(found);
      if (entry !== undefined) return entry.tool.name === name ? entry : { ...entry, alias: name };
    }
    // A tool that is not granted gets the same answer as one that does not exist.
    const known = withheldFailure(source, rights, name) ?? remoteFailure(packs, rights, name);
    if (known !== undefined) return { failure: known };
    const names = entriesIn(index).map(({ tool }) => tool.name);
    return {
      failure: unknownTool(name, nearestHint(name, names) ?? findHint, grants === undefined ? unnamedHint(source) : ""),
    };
  };
  return {
    entries: async () => entriesIn(check(await source.load())),
    async entriesOf(facets) {
      const allowed = packs.map(({ name }) => name).filter((name) => facets.includes(name));
      if (allowed.length === 0) return [];
      return entriesIn(await source.loadOf(allowed)).filter(({ facet }) => facets.includes(facet));
    },
    resolve: async (name) => resolveIn(check(await source.load()), name),
    resolveIfLoaded(name) {
      const index = source.current();
      return index && resolveIn(check(index), name);
    },
    ...viewPacks(packs, rights, isUsable),
  };
}

/** Why the server's configuration refuses the tool. Undefined if it allows the tool. */
function refusal({ tool, facet }: CatalogEntry, { deny = [], readOnly = false }: Rights): Failure | undefined {
  const by = deny.length === 0 ? undefined : [facet, ...namesOf(tool)].find((name) => deny.includes(name));
  if (by !== undefined) {
    return {
      code: "denied",
      message: `${tool.name} is denied by this server's configuration`,
      hint: `The user can allow it: remove ${by} from deny.`,
    };
  }
  return readOnly && tool.mutates ? readOnlyRefusal(tool.name) : undefined;
}

/**
 * Creates a function that leaves out of a tool the record kinds that may not be used with it. Undefined: the tool works on none of the others. The same
 * entry gets the same result.
 */
function kindFilter(packs: readonly Pack[], rights: Rights): (entry: CatalogEntry) => CatalogEntry | undefined {
  const { deny = [] } = rights;
  const hiddenIf = (mutates: boolean) => {
    const isKept = ({ name }: Pack) => !deny.includes(name) && isGranted({ facet: name, mutates }, rights);
    const kept = new Set(packs.filter(isKept).flatMap(({ kinds }) => kinds));
    return new Set(packs.flatMap(({ kinds }) => kinds).filter((kind) => !kept.has(kind)));
  };
  const hiddenFrom = { reading: hiddenIf(false), mutating: hiddenIf(true) };
  const known = new WeakMap<CatalogEntry, { readonly entry: CatalogEntry | undefined }>();
  return (entry) => {
    const hidden = entry.tool.mutates ? hiddenFrom.mutating : hiddenFrom.reading;
    if (hidden.size === 0 || entry.tool.forKinds === undefined) return entry;
    let found = known.get(entry);
    if (found === undefined) {
      const tool = entry.tool.forKinds((kind: Kind) => !hidden.has(kind));
      known.set(entry, (found = { entry: tool && { tool, facet: entry.facet } }));
    }
    return found.entry;
  };
}

function checkDenied({ packs, withheld }: CatalogSource, { claimed }: CatalogIndex, deny: readonly string[]): void {
  const facets = packs.map((pack) => pack.name);
  for (const name of deny) {
    if (facets.includes(name) || claimed.has(name) || withheld.some(({ tools }) => covers(tools, name))) continue;
    if (remoteOf(packs, name) !== undefined) continue;
    throw new Error(`deny: ${name} is neither a facet nor a tool; facets are ${facets.join(", ") || "none"}`);
  }
}

/** Why a withheld tool cannot be called. Undefined if the caller may not know of it. */
function withheldFailure({ withheld }: CatalogSource, rights: Rights, name: string): Failure | undefined {
  // Whether a withheld tool mutates is not known.
  const asked = { names: [name], mutates: true };
  const found = withheld.find(
    ({ facet, tools }) => covers(tools, name) && isGranted({ ...asked, facet }, rights),
  )?.tools;
  return found && { code: "denied", message: `${name} cannot be called: ${found.reason}`, hint: found.hint };
}

/** Why a tool of another server is not here. Undefined if the caller may not know of it. */
function remoteFailure(packs: readonly Pack[], rights: Rights, name: string): Failure | undefined {
  const pack = remoteOf(packs, name);
  const failure = pack?.remote?.missing(name);
  if (pack === undefined || failure === undefined) return undefined;
  // An unavailable server is named to every caller with a grant of it. Otherwise the tool may mutate.
  const mutates = failure.code !== "unavailable";
  return isGranted({ names: [name], facet: pack.name, mutates }, rights) ? failure : undefined;
}

function covers({ names, prefix }: Withheld, name: string): boolean {
  return (names?.includes(name) ?? false) || (prefix !== undefined && name.startsWith(prefix));
}

/** What an unknown name may be, besides a misspelt one: a tool of a pack whose tools are not known. */
function unnamedHint({ withheld }: CatalogSource): string {
  const unnamed = withheld.find(({ tools: { names, prefix } }) => names === undefined && prefix === undefined)?.tools;
  return unnamed === undefined ? "" : ` Or ${unnamed.reason}. ${unnamed.hint}`;
}

function unknownTool(name: string, hint: string, more: string): Failure {
  return { code: "not_found", message: `no tool is named ${JSON.stringify(clip(name, 64))}`, hint: `${hint}${more}` };
}

function nearestHint(name: string, known: readonly string[]): string | undefined {
  const near = nearest(name, known);
  return near.length > 0 ? `Nearest: ${near.join(", ")}.` : undefined;
}
