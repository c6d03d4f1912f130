import { coreFacet, createCatalog, errorText, isNameGranted, type FullCatalog, type Pack } from "@toolpacks/core";
import { createSurface, type Surface, type SurfaceOptions } from "@toolpacks/surface";
import type { PrincipalAccess } from "@toolpacks/access";
import type { Setting, Settings } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { meaningOptions } from "../embeddings.ts";
import type { Log } from "../log.ts";
import { bundledPacks, isBundled } from "./bundled-packs.ts";
import type { Mounting } from "./open-plan.ts";

export interface BuildOptions {
  readonly log: Log;
  /** What the callers of the surface may use. Undefined: everything that the settings allow. */
  readonly access?: PrincipalAccess | undefined;
}

/**
 * Builds a surface over the mounted packs. All surfaces of a mounting share its catalog.
 *
 * @throws ConfigurationError when `expose` or `deny` has an unknown name
 */
export async function buildSurface(mounting: Mounting, { log, access }: BuildOptions): Promise<Surface> {
  const { plan, settings, calls } = mounting;
  const { results, autoBudget } = settings;
  const { expose, deny } = await checkNames(mounting);
  const relay = mounting.relay && canReadHandles(access) ? mounting.relay : undefined;
  const surface = await withRelay(mounting, relay, {
    observers: mounting.observers,
    surface: plan.surface,
    ...(expose !== undefined && { expose }),
    ...(results.value !== undefined && { results: results.value }),
    ...(autoBudget.value !== undefined && { autoBudget: autoBudget.value }),
    twoTool: { store: mounting.store, ...workspaces(mounting), ...(relay && { checkHandles: relay.check }) },
    rights: { deny, readOnly: plan.readOnly, ...(access && { grants: access.grants }) },
    search: {
      ...meaningOptions(settings),
      onWarning: (message: string) => log.warn(message),
    },
    onBug: (error: unknown, name: string) => log.error(`${name} failed`, error),
  });
  return { ...surface, call: (request) => calls.run(() => surface.call(request)) };
}

/** Whether the access grants `relay_read`. Otherwise the caller could not read a handle, and gets large results whole. */
function canReadHandles(access: PrincipalAccess | undefined): boolean {
  return isNameGranted({ name: "relay_read", facet: "relay", mutates: false }, access ?? {});
}

type SharedOptions = Omit<Extract<SurfaceOptions, { readonly catalog: FullCatalog }>, "catalog">;

/** Creates the surface with the relay. Observers are outside of it: they see handles, not the large values. */
async function withRelay(mounting: Mounting, relay: Mounting["relay"], options: SharedOptions): Promise<Surface> {
  const { catalog } = mounting;
  if (relay === undefined) return createSurface({ ...options, catalog });
  const { maxResultCharacters } = relay;
  const relayed = { ...options, interceptors: [relay.interceptor], maxResultCharacters };
  if (options.surface !== "auto") return createSurface({ ...relayed, catalog });
  const surface = await createSurface({ ...options, catalog });
  if (surface.name === "direct") return surface;
  return createSurface({ ...relayed, surface: surface.name, catalog: catalogWithRelay(mounting, relay.pack) });
}

const relayedCatalogs = new WeakMap<Mounting, FullCatalog>();

/** The catalog of a mounting whose surfaces are chosen later, with the pack of the relay. */
function catalogWithRelay(mounting: Mounting, relayPack: Pack): FullCatalog {
  let catalog = relayedCatalogs.get(mounting);
  if (catalog === undefined) {
    const { packs, withheld } = mounting;
    relayedCatalogs.set(mounting, (catalog = createCatalog({ packs: [...packs, relayPack], withheld })));
  }
  return catalog;
}

interface CheckedNames {
  readonly expose: readonly string[] | undefined;
  readonly deny: readonly string[];
}

const checkedNames = new WeakMap<Mounting, Promise<CheckedNames>>();

/** Validates the names in `expose` and `deny` once for each mounting. */
function checkNames(mounting: Mounting): Promise<CheckedNames> {
  let names = checkedNames.get(mounting);
  if (names === undefined) {
    checkedNames.set(mounting, (names = checkAllNames(mounting)));
    names.catch(() => checkedNames.delete(mounting));
  }
  return names;
}

/** @throws ConfigurationError with a problem for each unknown name */
async function checkAllNames(mounting: Mounting): Promise<CheckedNames> {
  const problems: string[] = [];
  const expose = checkExposed(mounting, problems);
  const deny = await checkDenied(mounting, problems);
  if (problems.length > 0) throw new ConfigurationError(...problems);
  return { expose, deny };
}

/** Lists the ids of workspaces, if a mounted pack can. */
function workspaces({ packs, store }: Mounting): { workspaces?: () => Promise<readonly string[]> } {
  const entry = bundledPacks.find(({ name, workspaces: list }) => list && packs.some((pack) => pack.name === name));
  const list = entry?.workspaces;
  return list === undefined ? {} : { workspaces: () => list(store) };
}

/** Validates the denied names, and drops facets that are not mounted. */
async function checkDenied(
  { plan, settings, packs, leftOut, withheld }: Mounting,
  problems: string[],
): Promise<readonly string[]> {
  const { deny, file } = settings;
  const denied = plan.deny.filter((name) => leftOut.every((one) => one.name !== name));
  const facets = new Set(packs.map(({ name }) => name));
  // Tools of other servers are unknown at the start. A name with a server's prefix may be one of its tools.
  const mayBeRemote = (name: string) => packs.some(({ remote }) => remote && name.startsWith(remote.prefix));
  const unsure = denied.filter((name) => !facets.has(name) && !mayBeRemote(name));
  if (unsure.length === 0) return denied;
  // A denied name that is not a facet must be a tool of a pack.
  const own = packs.filter(({ remote }) => remote === undefined);
  const problemOf = (names: readonly string[]) =>
    createCatalog({ packs: own, withheld })
      .view({ deny: names })
      .then((view) => view.entries())
      .then(
        () => undefined,
        (error: unknown) => errorText(error).replace(/^deny: /, ""),
      );
  const found = await Promise.all(unsure.map(async (name) => ({ name, problem: await problemOf([name]) })));
  const unknown = found.filter(({ problem }) => problem !== undefined);
  if (!mayNameIgnored(deny, file)) problems.push(...unknown.map(({ problem }) => `${deny.origin}: ${problem}`));
  const names = new Set(unknown.map(({ name }) => name));
  return denied.filter((name) => !names.has(name));
}

/** Validates the exposed names, and drops servers that are left out: one of them must not stop the start. */
function checkExposed(
  { plan, settings, packs, leftOut, isFirst }: Mounting,
  problems: string[],
): readonly string[] | undefined {
  const { expose, file } = settings;
  const facets = [coreFacet, ...packs.map(({ name }) => name)];
  // The names were checked with the first mounting. The packs of another one may be fewer.
  for (const name of (isFirst ? expose.value : undefined) ?? []) {
    if (facets.includes(name) || mayNameIgnored(expose, file)) continue;
    const leftOutPack = leftOut.find((one) => one.name === name);
    if (leftOutPack === undefined) {
      problems.push(`${expose.origin}: no facet is named ${name}; there are ${facets.join(", ")}`);
    } else if (plan.facet === undefined && isBundled(name)) {
      const { reason, hint } = leftOutPack;
      problems.push(`${expose.origin}: ${name} is not mounted: ${reason}. ${hint}`);
    }
  }
  return plan.expose?.filter((name) => facets.includes(name));
}

/** Whether a list may name packs of an untrusted config file, which are not mounted. */
function mayNameIgnored({ source }: Setting<unknown>, file: Settings["file"]): boolean {
  return source === "file" && file !== undefined && file.ignored.length > 0;
}
