import { pathToFileURL } from "node:url";
import {
  createCatalog,
  errorText,
  type Interceptor,
  type OwnedStore,
  type Pack,
  type Services,
  type Store,
  type Withheld,
} from "@toolpacks/core";
import type { Traces } from "@toolpacks/memory";
import { coreFacet, type Surface } from "@toolpacks/surface";
import type { ServerRelay } from "@toolpacks/relay/server";
import type { UpstreamPack } from "@toolpacks/upstream";
import { printableText } from "@toolpacks/core/terminal";
import { bundledPacks, isBundled, type BundledPack, type PackContext } from "./bundled-packs.ts";
import type { Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";
import type { Log } from "./log.ts";
import { neededServices } from "./needed-services.ts";
import { packModule } from "./pack-module.ts";
import { deferredSurface } from "./deferred-surface.ts";
import { namesIgnored, ignoredReason, withIgnoredWrite } from "./trust/ignored-settings.ts";
import { requireUnchanged } from "./trust/open-config.ts";
import type { ReservedNames, Upstreams } from "./upstreams.ts";

/** Creates the packs of other servers. The code is loaded only when there are any. */
async function mountServers(settings: Settings, taken: ReservedNames, log: Log): Promise<Upstreams> {
  const { mcpServers, file } = settings;
  const ignored = namesIgnored(file, "mcpServers");
  if (Object.keys(mcpServers).length + ignored.length === 0) return { packs: [], leftOut: [], problems: [] };
  const { createUpstreams, facetNames } = await import("./upstreams.ts");
  const leftOut = facetNames(ignored, taken).map((name) => ({ name, ...ignoredReason(file) }));
  const created = createUpstreams(settings, taken, log);
  return { ...created, leftOut: [...leftOut, ...created.leftOut] };
}

/** A pack that is not mounted. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
  readonly hint: string;
  /** Whether the prefix of its tools is unknown, since it was not imported. */
  readonly hasUnknownTools?: boolean;
}

/** The packs that the settings mount. */
export interface Mounting {
  /** Store of the packs' records. */
  readonly store: Store;
  readonly packs: readonly Pack[];
  /** The packs that are other servers. */
  readonly upstreams: readonly UpstreamPack[];
  readonly leftOut: readonly LeftOut[];
  /** Problems in the blocks of other servers. */
  readonly problems: readonly string[];
  readonly withheld: readonly Withheld[];
  /** Interceptors of every call, outermost first. */
  readonly interceptors: readonly Interceptor[];
  /** Replaces large results by handles. Undefined: off. */
  readonly relay: ServerRelay | undefined;
  /** Sets the surface on which the packs are mounted. Workflows call its tools. */
  setSurface(surface: Surface): void;
}

/** Services that the server passes to the packs. */
interface MountContext {
  readonly traces: Traces | undefined;
  readonly relay: ServerRelay | undefined;
  readonly log: Log;
}

/**
 * Creates every pack that the settings mount: the bundled packs that can run, and the packs that the config file imports.
 *
 * @throws ConfigurationError for an unknown facet, a root that is not a directory, or a pack that cannot be imported
 */
export async function mountPacks(
  settings: Settings,
  opened: OwnedStore,
  { traces, relay, log }: MountContext,
): Promise<Mounting> {
  const { facet, packs: configured } = settings;
  const store = await storeForPacks(settings, opened);
  const imported = Object.keys(configured).filter((name) => !isBundled(name));
  const { surface, setSurface } = deferredSurface();
  const bundled = await Promise.all(
    bundledPacks.map((pack) => createBundledPack(pack, settings, { store, traces, surface })),
  );
  const others = await Promise.all(
    imported.filter((name) => configured[name] !== false).map((name) => importPack(settings, name, { store, log })),
  );
  const packs = [...bundled.flatMap((one) => ("pack" in one ? [one.pack] : [])), ...others];
  // With `auto`, the surface is chosen later, and the relay pack is added then.
  const relayPacks = relay === undefined || settings.surface.value === "auto" ? [] : [relay.pack];
  const own = [...packs, await recordTools(settings, packs, store), ...relayPacks];
  const upstreams = await mountServers(settings, reservedNames(own), log);
  const all = sortPacks([...own, ...upstreams.packs]);
  const leftOut = [
    ...bundled.flatMap((one) => ("pack" in one ? [] : [one])),
    ...upstreams.leftOut,
    ...ignoredPacks(settings),
  ];
  checkNames(all, settings);
  if (others.length > 0) await checkTools(own, settings);
  const interceptors = traces === undefined ? [] : [traces.interceptor];
  const shared = { store, interceptors, relay, setSurface, problems: upstreams.problems };
  if (facet.value === undefined)
    return { ...shared, packs: all, upstreams: upstreams.packs, leftOut, withheld: leftOut.map(withhold) };

  const only = all.find((pack) => pack.name === facet.value);
  if (only === undefined) {
    const reasonLeftOut = leftOut.find(({ name }) => name === facet.value);
    const known = [...all.map(({ name }) => name), ...leftOut.map(({ name }) => name)].join(", ");
    throw new ConfigurationError(
      reasonLeftOut === undefined
        ? `${facet.origin}: no facet is named ${facet.value}; there are ${known}`
        : `${facet.origin}: ${facet.value} cannot be mounted: ${reasonLeftOut.reason}. ${reasonLeftOut.hint}`,
    );
  }
  const mounted = await packsForFacet(only, settings, store);
  const notSelected = all
    .filter(({ name }) => mounted.every((pack) => pack.name !== name))
    .map(({ name }) => ({ name, reason: `only ${facet.value} is mounted`, hint: "Start without --facet." }));
  const excluded = [...leftOut, ...notSelected];
  const remote = upstreams.packs.filter((pack) => pack === only);
  return { ...shared, packs: mounted, upstreams: remote, leftOut: excluded, withheld: excluded.map(withhold) };
}

/** The packs for `--facet`: one pack, and the generic record tools when it has no tools. */
async function packsForFacet(pack: Pack, settings: Settings, store: Store): Promise<readonly Pack[]> {
  if (pack.kinds.length === 0 || (await pack.tools()).length > 0) return [pack];
  return [pack, await recordTools(settings, [pack], store)];
}

/** Names and prefixes that other servers must not use. */
function reservedNames(packs: readonly Pack[]): ReservedNames {
  const names = [coreFacet, "relay", ...bundledPacks.map(({ name }) => name), ...packs.map(({ name }) => name)];
  const prefixes = [...bundledPacks.map(({ prefix }) => prefix), "tool_", "store_", "relay_"];
  return { names: [...new Set(names)], prefixes };
}

/** Ends every other server that was started or connected. */
export async function endRemotes({ packs }: Mounting): Promise<void> {
  await Promise.all(packs.flatMap(({ remote }) => remote?.end() ?? []));
}

/** Sorts the packs: workflows and the relay come last, as in the core facet. */
function sortPacks(packs: readonly Pack[]): readonly Pack[] {
  const last = ["workflows", "relay"];
  const atEnd = last.flatMap((name) => packs.filter((pack) => pack.name === name));
  return [...packs.filter(({ name }) => !last.includes(name)), ...atEnd];
}

/**
 * The store for packs: it opens only the workspaces that the settings allow. On the two-tool surface, each call selects its workspace.
 */
async function storeForPacks({ surface, workspaces }: Settings, opened: OwnedStore): Promise<Store> {
  const store = opened.restrict({
    workspaces: workspaces.value,
    hint: 'Calls work in this project\'s workspace. The user may allow others: "workspaces" in the config file of toolpacks.',
  });
  if (surface.value !== "two-tool") return store;
  return (await import("@toolpacks/core/store")).followWorkspace(store);
}

/** The generic tools over the records of every mounted pack that is not denied. */
async function recordTools({ deny }: Settings, packs: readonly Pack[], store: Store): Promise<Pack> {
  const { storePack } = await import("@toolpacks/core/store");
  const kinds = packs.filter(({ name }) => !deny.value.includes(name)).flatMap((pack) => pack.kinds);
  return storePack({ store, kinds });
}

async function createBundledPack(
  pack: BundledPack,
  settings: Settings,
  context: Pick<PackContext, "store" | "traces" | "surface">,
): Promise<{ readonly pack: Pack } | LeftOut> {
  const { name } = pack;
  const options = settings.packs[name];
  if (options === false) {
    return { name, reason: "it is turned off", hint: `Remove "${name}": false from packs in the config file.` };
  }
  const missing = pack.missing(settings);
  if (missing !== undefined) return { name, ...missing };
  const created = await withPackName(settings, name, () =>
    pack.create({ ...context, settings, options: typeof options === "object" ? options : {} }),
  );
  return { pack: withIgnoredWrite(created, settings.file) };
}

/** Packs that an untrusted config file would import. */
function ignoredPacks({ file }: Settings): readonly LeftOut[] {
  const names = namesIgnored(file, "packs").filter((name) => !isBundled(name));
  return names.map((name) => ({ name: printableText(name, 80), hasUnknownTools: true, ...ignoredReason(file) }));
}

function withhold({ name, reason, hint, hasUnknownTools }: LeftOut): Withheld {
  if (hasUnknownTools === true) return { reason: `the pack ${name} is not mounted: ${reason}`, hint };
  const prefix = bundledPacks.find((pack) => pack.name === name)?.prefix ?? `${name.replaceAll("-", "_")}_`;
  return { prefix, reason: `the ${name} pack is not mounted: ${reason}`, hint };
}

async function importPack(settings: Settings, specifier: string, services: Services): Promise<Pack> {
  const options = settings.packs[specifier];
  return withPackName(settings, specifier, async () => {
    const file = packModule(specifier, settings.file?.directory ?? process.cwd());
    // The file was hashed when the config file was opened, and may have changed since.
    if (settings.file !== undefined) requireUnchanged(settings.file);
    const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    if (settings.file !== undefined) requireUnchanged(settings.file);
    const factories = Object.values(module).filter((one) => typeof one === "function");
    const factory = module["default"] ?? (factories.length === 1 ? factories[0] : undefined);
    if (typeof factory !== "function")
      throw new Error("expected a default export, or one function, made by definePack");
    const allOptions = {
      ...(typeof options === "object" ? options : {}),
      ...neededServices(factory, options, services),
    };
    const pack = factory(Object.keys(allOptions).length > 0 ? allOptions : undefined) as Pack;
    if (typeof pack?.tools !== "function") throw new Error("expected its export to be made by definePack");
    return pack;
  });
}

/** Adds the pack's place in the config file to an error of its factory. */
async function withPackName<T>({ file }: Settings, name: string, create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const message = errorText(error).split("\n", 1)[0] ?? "";
    throw new ConfigurationError(`${file === undefined ? "" : `${file.path}: `}packs.${name}: ${message}`);
  }
}

function checkNames(packs: readonly Pack[], { file }: Settings): void {
  const seen = new Set([coreFacet]);
  for (const { name } of packs) {
    if (seen.has(name)) throw new ConfigurationError(`${file?.path}: packs: a facet named ${name} exists already`);
    seen.add(name);
  }
}

/** Checks that no two packs have a tool of the same name, so that the start fails and not the first call. */
async function checkTools(packs: readonly Pack[], { file }: Settings): Promise<void> {
  await createCatalog({ packs })
    .entries()
    .catch((error: unknown) => {
      throw new ConfigurationError(`${file?.path}: packs: ${errorText(error)}`);
    });
}
