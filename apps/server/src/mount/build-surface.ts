import { coreFacet, isGranted, type FullCatalog } from "@toolpacks/core";
import { createSurface, type Surface, type SurfaceOptions } from "@toolpacks/surface";
import type { PrincipalAccess } from "@toolpacks/access";
import { meaningOptions } from "../embeddings.ts";
import type { Log } from "../log.ts";
import { bundledPacks } from "./bundled-packs.ts";
import type { Mounting } from "./mounting.ts";

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
  const { expose, deny } = await mounting.policy();
  const relay = mounting.relay && canReadHandles(access) ? mounting.relay : undefined;
  const surface = await withRelay(mounting, relay, {
    observers: mounting.observers,
    interceptors: mounting.interceptors,
    surface: plan.surface,
    expose,
    results: results.value,
    autoBudget: autoBudget.value,
    twoTool: { store: mounting.store, workspaces: workspacesOf(mounting), checkHandles: relay?.check },
    rights: { deny, readOnly: plan.readOnly, grants: access?.grants },
    search: { ...meaningOptions(settings), onWarning: (message: string) => log.warn(message) },
    onBug: (error: unknown, name: string) => log.error(`${name} failed`, error),
  });
  return { ...surface, call: (request) => calls.run(() => surface.call(request)) };
}

/** Whether the access grants `relay_read`. Otherwise the caller could not read a handle, and gets large results whole. */
function canReadHandles(access: PrincipalAccess | undefined): boolean {
  return isGranted({ names: ["relay_read"], facet: "relay", mutates: false }, access ?? {});
}

type SharedOptions = Omit<Extract<SurfaceOptions, { readonly catalog: FullCatalog }>, "catalog">;

/**
 * Creates the surface with the relay. Observers are outside of it: they see handles, not the large values. A relay that the settings turn on
 * has its tool listed. Results are text by default, also on direct: structured content of a tool with an output schema would have to stay whole.
 */
async function withRelay(mounting: Mounting, relay: Mounting["relay"], options: SharedOptions): Promise<Surface> {
  const { catalog, plan } = mounting;
  if (relay === undefined) return createSurface({ ...options, catalog });
  const { maxResultCharacters, interceptor, pack } = relay;
  const { results = "text", expose = [] } = options;
  const isAsked = plan.relay?.isOnDirect === true;
  const isMissing = isAsked && expose.length > 0 && !expose.includes(coreFacet) && !expose.includes(pack.name);
  const listed = isMissing ? [...expose, pack.name] : options.expose;
  const relayed = {
    ...options,
    results,
    expose: listed,
    interceptors: [interceptor, ...(options.interceptors ?? [])],
    maxResultCharacters,
  };
  if (options.surface !== "auto" || isAsked) return createSurface({ ...relayed, catalog });
  const surface = await createSurface({ ...options, catalog });
  if (surface.name === "direct") return surface;
  return createSurface({ ...relayed, surface: surface.name, catalog: mounting.relayedCatalog() });
}

/** Lists the ids of workspaces. Undefined: no mounted pack can. */
function workspacesOf({ packs, store }: Mounting): (() => Promise<readonly string[]>) | undefined {
  const entry = bundledPacks.find(({ name, workspaces }) => workspaces && packs.some((pack) => pack.name === name));
  const list = entry?.workspaces;
  return list && (() => list(store));
}
