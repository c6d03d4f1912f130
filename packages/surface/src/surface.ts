import {
  coreFacet,
  createCatalog,
  createDispatcher,
  estimateTokens,
  listTool,
  promptMetadata,
  rightsKey,
  type CallObserver,
  type Catalog,
  type CatalogEntry,
  type Dispatcher,
  type DispatcherOptions,
  type DispatchRequest,
  type FullCatalog,
  type Interceptor,
  type ListedTool,
  type Outcome,
  type Pack,
  type Prompt,
  type ResultsMode,
  type Rights,
  type Withheld,
} from "@toolpacks/core";
import { sayElsewhere } from "@toolpacks/store";
import { coreTools } from "./core-tools.ts";
import { instructions } from "./instructions.ts";
import type { ToolFinderOptions } from "./search/tool-finder.ts";
import type { TwoToolOptions } from "./two-tool/two-tools.ts";

/** How a catalog appears in `tools/list`. `auto` is direct if the exposed facets fit its budget, otherwise discovery. */
export type SurfaceName = "direct" | "discovery" | "two-tool" | "auto";

export const surfaceNames = ["direct", "discovery", "two-tool", "auto"] as const satisfies readonly SurfaceName[];

export type SurfaceOptions = SurfaceSettings & (OwnCatalog | SharedCatalog);

/** The packs of a surface that has a catalog of its own. */
interface OwnCatalog {
  readonly packs: readonly Pack[];
  /** Tools of packs that are not mounted. The error of a call says how to mount them. */
  readonly withheld?: readonly Withheld[];
  readonly catalog?: undefined;
}

/** A catalog for several surfaces, such as one for each principal. They share its packs and its index. */
interface SharedCatalog {
  readonly catalog: FullCatalog;
}

interface SurfaceSettings {
  /** Default `discovery`. */
  readonly surface?: SurfaceName;
  /** The facets that are listed: `core` or a pack's name. Default: `core` on discovery, every mounted pack on direct. */
  readonly expose?: readonly string[];
  /** What may be used of the catalog. Default: everything. */
  readonly rights?: Rights;
  /** Run around every call of a pack's tool, outermost first. */
  readonly interceptors?: readonly Interceptor[];
  /** Run around every call of a client, and every call that a tool makes, outermost first. */
  readonly observers?: readonly CallObserver[];
  /** Default: `text` on discovery, `both` on direct. */
  readonly results?: ResultsMode;
  /** Maximum characters of a tool's results, if something bounds them. Without a tool: of any tool's. Told to clients in `_meta`. */
  readonly maxResultCharacters?: (tool?: string) => number;
  /** Maximum estimated o200k tokens that `auto` lists directly. Default 5,000. */
  readonly autoBudget?: number;
  /** Options of `tool_search`: an embedding endpoint, and a callback for its failure. */
  readonly search?: ToolFinderOptions;
  /** Required on the two-tool surface. */
  readonly twoTool?: TwoToolOptions;
  readonly onBug?: NonNullable<DispatcherOptions["onBug"]>;
}

/** A catalog behind one tool list, with the rights of one or more callers. One surface can be attached to many servers. */
export interface Surface {
  /** The surface in use. `auto` is resolved. */
  readonly name: "direct" | "discovery" | "two-tool";
  readonly exposed: readonly string[];
  /** The server's `instructions`: at most 600 o200k tokens and 2 KB. */
  readonly instructions: string;
  /** The form of results whose caller asks for no other form. */
  readonly results: ResultsMode;
  /** What caches may do with a list: a list of one caller's rights is not for others. */
  readonly cacheScope: "public" | "private";
  /** The same text for surfaces with the same rights. */
  readonly rightsKey: string;
  readonly catalog: Catalog;
  readonly dispatcher: Dispatcher;
  /** The pack of the discovery tools, or of `getTools` and `useTools`. */
  readonly corePack: Pack;
  /** The tool list. The same array until a tool changes. */
  listing(): Promise<readonly ListedTool[]>;
  readonly hasPrompts: boolean;
  /** Whether any argument of a prompt suggests values. */
  readonly hasCompletions: boolean;
  /** The prompts whose tool can be called. */
  prompts(): Promise<readonly Prompt[]>;
  /** Resolves to a function that tells how a model calls a tool, for the texts of prompts. */
  callOf(): Promise<(tool: string) => string>;
  /** Calls a listed tool, or any callable tool of the catalog by its name. Never rejects. */
  readonly call: (request: DispatchRequest) => Promise<Outcome>;
}

const defaultAutoBudget = 5_000;

/**
 * Creates a surface. On discovery the tools of a pack are loaded when they are first needed.
 *
 * @throws Error when `expose` names a facet that is not mounted, or a pack is named `core`
 */
export async function createSurface(options: SurfaceOptions): Promise<Surface> {
  const { surface = "discovery", rights = {}, expose, onBug, observers = [] } = options;
  const around = { onBug, observers };
  const full = options.catalog ?? createCatalog(options);
  checkFacets(full.packs, expose ?? []);
  const { packs } = await full.view(rights);
  const everything = packs.map((pack) => pack.name);
  const name =
    surface === "auto" ? await choose(await full.view(rights), expose ?? everything, options.autoBudget) : surface;
  const exposed = (expose ?? (name === "direct" ? everything : [coreFacet])).filter(
    (facet) => facet === coreFacet || everything.includes(facet),
  );
  const catalog = await full.view(rights, findHint(name, exposed));
  const all = await allInterceptors(options, name, catalog);
  const dispatcher = createDispatcher(catalog, { interceptors: all, ...around });
  const core = await corePack(options, catalog, dispatcher);
  const coreCatalog = createCatalog({ packs: [core] });
  const coreDispatcher = createDispatcher(coreCatalog, around);
  let coreNames: ReadonlySet<string> | undefined;
  const readCoreNames = async () => (coreNames = new Set((await coreCatalog.entries()).map(({ tool }) => tool.name)));
  const results = options.results ?? (name === "direct" ? "both" : "text");
  const withCore = name === "two-tool" ? [] : packs.filter((pack) => pack.core !== false);
  const isWithCore = ({ tool, facet }: CatalogEntry) =>
    withCore.some((pack) => pack.name === facet && (pack.core === true || listsTool(pack, tool.name)));
  const listed = async (): Promise<readonly CatalogEntry[]> => {
    const ofCore = exposed.includes(coreFacet) ? withCore.map((pack) => pack.name) : [];
    const ofPacks = (await catalog.entriesOf([...ofCore, ...exposed])).filter(
      (entry) => exposed.includes(entry.facet) || isWithCore(entry),
    );
    return exposed.includes(coreFacet) ? [...(await coreCatalog.entries()), ...ofPacks] : ofPacks;
  };
  const inCore = (entry: CatalogEntry) => entry.facet === coreFacet || isWithCore(entry);
  const isSelfContained = name === "direct" && !exposed.includes(coreFacet);
  const listing = listingOf(listed, (entry) => list(entry, { ...options, results, isSelfContained }, inCore(entry)));

  return {
    name,
    exposed,
    results,
    rightsKey: rightsKey(rights),
    catalog,
    dispatcher,
    corePack: core,
    instructions: await instructions[name]({ catalog, rights, exposed }),
    cacheScope: rights.grants === undefined ? "public" : "private",
    listing,
    hasPrompts: packs.some(({ prompts = [], promptSource }) => prompts.length > 0 || promptSource !== undefined),
    hasCompletions: packs.some(suggestsValues),
    prompts: () => callablePrompts(catalog, (facet) => exposed.includes(coreFacet) || exposed.includes(facet)),
    async callOf() {
      const { callPhrases } = await import("./call-phrases.ts");
      const names = new Set((await listing()).map((tool) => tool.name));
      return callPhrases({ catalog, isTwoTool: name === "two-tool", names });
    },
    async call(request) {
      const isCore = exposed.includes(coreFacet) && (coreNames ?? (await readCoreNames())).has(request.name);
      return (isCore ? coreDispatcher : dispatcher).dispatch(request);
    },
  };
}

async function corePack(options: SurfaceOptions, catalog: Catalog, dispatcher: Dispatcher) {
  if (options.surface === "two-tool") return twoTools(options, catalog, dispatcher);
  return coreTools(catalog, dispatcher, options.search ?? {});
}

/** Tells a caller how to find a tool. */
function findHint(name: Surface["name"], exposed: readonly string[]): string {
  if (name === "two-tool") return "getTools lists the tools of a pack.";
  return exposed.includes(coreFacet) ? "Find tools by what they do with tool_search." : "Call a tool of the list.";
}

/** The interceptors around each call of a pack's tool. On two-tool, texts name tools by their short names. */
async function allInterceptors(
  { interceptors = [], twoTool }: SurfaceOptions,
  name: Surface["name"],
  catalog: Catalog,
): Promise<readonly Interceptor[]> {
  const workspaces = twoTool?.workspaces;
  if (name !== "two-tool") return [...interceptors, sayElsewhere({ workspaces })];
  const [{ shortNameHints }, { packTools }] = await Promise.all([
    import("./two-tool/short-names.ts"),
    import("./two-tool/pack-tools.ts"),
  ]);
  const elsewhere = sayElsewhere({ workspaces, hint: "name it as context.workspaceId" });
  return [shortNameHints(() => packTools(catalog)), ...interceptors, elsewhere];
}

async function twoTools(
  { expose = [], twoTool, search = {} }: SurfaceOptions,
  catalog: Catalog,
  dispatcher: Dispatcher,
): Promise<Pack> {
  if (twoTool === undefined) throw new Error("twoTool: required on the two-tool surface, with a store");
  const more = expose.find((facet) => facet !== coreFacet);
  if (more !== undefined) throw new Error(`expose: the two-tool surface lists nothing else; leave ${more} out`);
  const { twoToolPack } = await import("./two-tool/two-tool-pack.ts");
  return twoToolPack(catalog, dispatcher, { ...twoTool, search });
}

function checkFacets(packs: readonly Pack[], expose: readonly string[]): void {
  if (packs.some(({ name }) => name === coreFacet)) throw new Error(`pack ${coreFacet}: the name is the surface's own`);
  const facets = [coreFacet, ...packs.map((pack) => pack.name)];
  const unknown = expose.find((facet) => !facets.includes(facet));
  if (unknown !== undefined) throw new Error(`expose: no facet is named ${unknown}; there are ${facets.join(", ")}`);
}

async function choose(
  catalog: Catalog,
  facets: readonly string[],
  budget = defaultAutoBudget,
): Promise<Surface["name"]> {
  const entries = (await catalog.entries()).filter(({ facet }) => facets.includes(facet));
  return estimateTokens(promptMetadata(entries.map(({ tool }) => tool))) <= budget ? "direct" : "discovery";
}

/** Caches the list until a tool in it changes. */
function listingOf(
  listed: () => Promise<readonly CatalogEntry[]>,
  shown: (entry: CatalogEntry) => ListedTool,
): () => Promise<readonly ListedTool[]> {
  let last: { readonly of: readonly CatalogEntry[]; readonly listing: readonly ListedTool[] } | undefined;
  return async () => {
    const entries = await listed();
    const isSame =
      last !== undefined &&
      entries.length === last.of.length &&
      entries.every(({ tool }, at) => tool === last?.of[at]?.tool);
    if (last === undefined || !isSame) last = { of: entries, listing: entries.map(shown) };
    return last.listing;
  };
}

/** The prompts whose tool can be called. Only tools of our own packs are looked up, so that no other server is started. */
async function callablePrompts(catalog: Catalog, isReachable: (facet: string) => boolean): Promise<readonly Prompt[]> {
  const reachable = catalog.packs.filter(({ name }) => isReachable(name));
  const fixed = reachable.flatMap(({ prompts = [] }) => prompts);
  const changing = await Promise.all(reachable.map(async ({ promptSource }) => (await promptSource?.list()) ?? []));
  const names = new Set(fixed.map(({ name }) => name));
  const all = [...fixed, ...changing.flat().filter(({ name }) => !names.has(name))];
  if (all.every(({ tool }) => tool === undefined)) return all;
  const own = catalog.packs.filter(({ remote }) => remote === undefined).map(({ name }) => name);
  const callable = new Set((await catalog.entriesOf(own)).map(({ tool }) => tool.name));
  return all.filter(({ tool }) => tool === undefined || callable.has(tool));
}

function suggestsValues({ prompts = [], promptSource }: Pack): boolean {
  return promptSource !== undefined || prompts.some((prompt) => prompt.arguments.some(({ complete }) => complete));
}

function listsTool({ core }: Pack, tool: string): boolean {
  return Array.isArray(core) && core.includes(tool);
}

interface ListOptions extends Pick<SurfaceSettings, "maxResultCharacters"> {
  readonly results: ResultsMode;
  /** Whether the list has no `tool_describe`. */
  readonly isSelfContained: boolean;
}

function list({ tool, facet }: CatalogEntry, options: ListOptions, ofCore: boolean): ListedTool {
  const shown = options.isSelfContained ? tool.selfContained?.() : undefined;
  const listed = listTool(shown ?? tool, options.results);
  const maxCharacters = options.maxResultCharacters?.(facet === coreFacet ? undefined : tool.name);
  const meta = {
    ...listed._meta,
    // Claude Code defers MCP tools without `alwaysLoad`, and finds deferred ones by `searchHint`.
    ...(ofCore && { "anthropic/alwaysLoad": true }),
    ...(tool.keywords.length > 0 && { "anthropic/searchHint": tool.keywords.join(", ") }),
    // Claude Code writes a longer result to a file. What is too long for a model has become a handle before.
    ...(maxCharacters !== undefined && { "anthropic/maxResultSizeChars": maxCharacters }),
  };
  return Object.keys(meta).length === 0 ? listed : { ...listed, _meta: meta };
}
