import { pathToFileURL } from "node:url";
import type { Pack, Services } from "@toolpacks/core";
import { packModule } from "@toolpacks/settings";
import type { ImportedPack } from "./mount-plan.ts";

/** A pack of the config file. */
export interface ImportedPackInstance {
  readonly pack: Pack;
  /** Whether the pack uses a store. Callers of other workspaces then need an instance of their own. */
  readonly hasStore: boolean;
}

/**
 * Imports a pack that the config file names, and creates it.
 *
 * @throws Error when the module cannot be loaded, is no pack, or needs a service that this server does not have
 */
export async function importPack(
  { specifier, options }: ImportedPack,
  directory: string,
  services: Services,
): Promise<ImportedPackInstance> {
  const path = packModule(specifier, directory);
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const factories = Object.values(module).filter((one) => typeof one === "function");
  const factory = module["default"] ?? (factories.length === 1 ? factories[0] : undefined);
  if (typeof factory !== "function") throw new Error("expected a default export, or one function, made by definePack");
  const needed = neededServices(factory, options, services);
  const all = { ...options, ...needed };
  const pack = factory(Object.keys(all).length > 0 ? all : undefined) as Pack;
  if (typeof pack?.tools !== "function") throw new Error("expected its export to be made by definePack");
  return { pack, hasStore: needed.store !== undefined };
}

/**
 * The services that a pack's factory declares in `needs`.
 *
 * @throws Error for a service that this server does not have, and for an option of a service's name, which the server passes
 */
function neededServices(factory: object, options: object, services: Services): Partial<Services> {
  const needs = "needs" in factory && Array.isArray(factory.needs) ? factory.needs.map(String) : [];
  for (const name of needs) {
    if (!Object.hasOwn(services, name)) {
      throw new Error(`needs ${name}, which this server does not have; it has ${Object.keys(services).join(", ")}`);
    }
    if (name in options) throw new Error(`${name}: is passed by the server; remove the option`);
  }
  return Object.fromEntries(Object.entries(services).filter(([name]) => needs.includes(name)));
}
