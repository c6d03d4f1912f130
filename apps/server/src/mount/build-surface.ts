import { createCatalog, errorText, type Pack } from "@toolpacks/core";
import { coreFacet, createSurface, type Surface, type SurfaceOptions } from "@toolpacks/surface";
import type { Setting, Settings } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { embeddingEndpoint } from "../embeddings.ts";
import type { Log } from "../log.ts";
import { bundledPacks, isBundled } from "./bundled-packs.ts";
import type { Mounting } from "./open-plan.ts";

/** Builds the surface over the mounted packs. @throws ConfigurationError when `expose` or `deny` has an unknown name */
export async function buildSurface(mounting: Mounting, log: Log): Promise<Surface> {
  const { plan, settings, relay } = mounting;
  const { results, autoBudget } = settings;
  const expose = checkExposed(mounting);
  const deny = await checkDenied(mounting);
  const options = {
    packs: mounting.packs,
    withheld: mounting.withheld,
    interceptors: mounting.interceptors,
    ...(mounting.observe && { observe: mounting.observe }),
    surface: plan.surface,
    ...(expose !== undefined && { expose }),
    ...(results.value !== undefined && { results: results.value }),
    ...(autoBudget.value !== undefined && { autoBudget: autoBudget.value }),
    twoTool: { store: mounting.store, ...workspaces(mounting), ...(relay && { checkHandles: relay.check }) },
    rights: { deny, readOnly: plan.readOnly },
    search: { embeddings: embeddingEndpoint(settings), onWarning: (message: string) => log.warn(message) },
    onBug: (error: unknown, name: string) => log.error(`${name} failed`, error),
  } satisfies SurfaceOptions;
  return withRelay(options, relay);
}

/** Creates the surface with the relay as the innermost interceptor: the others see handles, not the large values. */
async function withRelay(
  options: Extract<SurfaceOptions, { readonly packs: readonly Pack[] }>,
  relay: Mounting["relay"],
): Promise<Surface> {
  if (relay === undefined) return createSurface(options);
  const relayed = { ...options, interceptors: [...(options.interceptors ?? []), relay.interceptor] };
  if (options.surface !== "auto") return createSurface(relayed);
  const surface = await createSurface(options);
  if (surface.name === "direct") return surface;
  return createSurface({ ...relayed, surface: surface.name, packs: [...options.packs, relay.pack] });
}

/** Lists the ids of workspaces, if a mounted pack can. */
function workspaces({ packs, store }: Mounting): { workspaces?: () => Promise<readonly string[]> } {
  const entry = bundledPacks.find(({ name, workspaces: list }) => list && packs.some((pack) => pack.name === name));
  const list = entry?.workspaces;
  return list === undefined ? {} : { workspaces: () => list(store) };
}

/** Validates the denied names, and drops facets that are not mounted. */
async function checkDenied({ plan, settings, packs, leftOut, withheld }: Mounting): Promise<readonly string[]> {
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
  if (mayNameIgnored(deny, file)) {
    const problems = await Promise.all(
      unsure.map(async (name) => ((await problemOf([name])) === undefined ? [] : [name])),
    );
    return denied.filter((name) => !problems.flat().includes(name));
  }
  const problem = await problemOf(unsure);
  if (problem !== undefined) throw new ConfigurationError(`${deny.origin}: ${problem}`);
  return denied;
}

/** Validates the exposed names, and drops servers that are left out: one of them must not stop the start. */
function checkExposed({ plan, settings, packs, leftOut }: Mounting): readonly string[] | undefined {
  const { expose, file } = settings;
  const facets = [coreFacet, ...packs.map(({ name }) => name)];
  for (const name of expose.value ?? []) {
    if (facets.includes(name) || mayNameIgnored(expose, file)) continue;
    const leftOutPack = leftOut.find((one) => one.name === name);
    if (leftOutPack === undefined) {
      throw new ConfigurationError(`${expose.origin}: no facet is named ${name}; there are ${facets.join(", ")}`);
    }
    if (plan.facet === undefined && isBundled(name)) {
      const { reason, hint } = leftOutPack;
      throw new ConfigurationError(`${expose.origin}: ${name} is not mounted: ${reason}. ${hint}`);
    }
  }
  return plan.expose?.filter((name) => facets.includes(name));
}

/** Whether a list may name packs of an untrusted config file, which are not mounted. */
function mayNameIgnored({ source }: Setting<unknown>, file: Settings["file"]): boolean {
  return source === "file" && file !== undefined && file.ignored.length > 0;
}
