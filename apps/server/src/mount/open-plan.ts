import { statSync } from "node:fs";
import {
  createCatalog,
  definedOnly,
  errorText,
  type Interceptor,
  type OwnedStore,
  type Pack,
  type Store,
  type Withheld,
} from "@toolpacks/core";
import { followWorkspace, storePack } from "@toolpacks/core/store";
import { coreFacet } from "@toolpacks/surface";
import { serverRelay, type ServerRelay } from "@toolpacks/relay/server";
import type { UpstreamPack } from "@toolpacks/upstream";
import type { Settings } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import type { Log } from "../log.ts";
import { withIgnoredWrite } from "../trust/ignored-settings.ts";
import type { CreatedPack, PackServices } from "./bundled-pack.ts";
import { bundledPacks } from "./bundled-packs.ts";
import { importPack } from "./import-pack.ts";
import { notSelected, type LeftOut, type MountPlan, type PlannedPack } from "./mount-plan.ts";
import { prefixOf } from "./plan-servers.ts";
import { openRemoteState } from "../remotes/open-remote-state.ts";
import type { ServerPacks, ServersContext } from "./server-packs.ts";

/** An opened mount plan: everything that surfaces are built on. */
export interface Mounting {
  readonly plan: MountPlan;
  readonly settings: Settings;
  /** Store of the packs' records. */
  readonly store: Store;
  readonly packs: readonly Pack[];
  /** The packs that are other servers. */
  readonly upstreams: readonly UpstreamPack[];
  readonly leftOut: readonly LeftOut[];
  /** Problems in the blocks of other servers. */
  readonly problems: readonly string[];
  readonly withheld: readonly Withheld[];
  /** Interceptors of every call, outermost first, without the relay's. */
  readonly interceptors: readonly Interceptor[];
  /** Replaces large results by handles. Undefined: off. */
  readonly relay: ServerRelay | undefined;
  /** Ends every other server that was started or connected. */
  endRemotes(): Promise<void>;
}

interface MountContext {
  readonly settings: Settings;
  readonly store: OwnedStore;
  readonly log: Log;
  /** Id of the principal whose own servers are mounted. Default "": the local user. */
  readonly caller?: string;
}

/**
 * Creates every pack that a plan names.
 *
 * @throws ConfigurationError for an unknown facet, a root that is not a directory, or a pack that cannot be created
 */
export async function openPlan(
  plan: MountPlan,
  { settings, store: serverStore, log, caller = "" }: MountContext,
): Promise<Mounting> {
  const store = storeForPacks(settings, serverStore);
  const services: PackServices = { store, serverStore, settings, log };
  const bundled = await Promise.all(plan.bundled.map((pack) => createBundled(pack, services)));
  const imported = await Promise.all(
    plan.imported.map((one) =>
      nameErrors(settings, one.specifier, () => importPack(one, settings.file, { store, log })),
    ),
  );
  const relay = plan.relay && openRelay(plan.relay, serverStore, log);
  const inOrder = (isLast: boolean) =>
    bundled.flatMap(({ pack }, at) => ((plan.bundled[at]?.entry.isLast ?? false) === isLast ? [pack] : []));
  const first = [...inOrder(false), ...imported];
  const last = inOrder(true);
  const own = [...first, recordTools([...first, ...last], store)];
  // With `auto`, the surface is chosen later, and the relay pack is added then.
  const relayPacks = relay === undefined || plan.surface === "auto" ? [] : [relay.pack];
  const state = plan.servers.length === 0 ? undefined : await openRemoteState(settings, serverStore);
  const shared = await createServers(plan, { file: settings.file, log, state });
  const ofCaller = await createServers(plan, { file: settings.file, log, state, caller });
  const servers = joinServers(shared, ofCaller);
  const all = [...own, ...servers.packs, ...last, ...relayPacks];
  checkNames(all, settings);
  if (imported.length > 0) await checkTools([...own, ...last, ...relayPacks], settings);
  const known = [...plan.leftOut, ...servers.leftOut];
  const packs = await packsForFacet({ plan, all, leftOut: known, settings, store });
  const leftOut = [...known, ...excludedByFacet(plan, all, packs)];
  return {
    plan,
    settings,
    store,
    packs,
    upstreams: servers.packs.filter((pack) => packs.includes(pack)),
    leftOut,
    problems: servers.problems,
    withheld: leftOut.map(withhold),
    interceptors: bundled.flatMap(({ interceptor }) => interceptor ?? []),
    relay,
    async endRemotes() {
      await Promise.all(packs.flatMap(({ remote }) => remote?.end() ?? []));
    },
  };
}

async function createBundled({ entry, options, roots }: PlannedPack, services: PackServices): Promise<CreatedPack> {
  const { settings } = services;
  for (const root of roots?.value ?? []) checkRoot(root, roots?.origin ?? "");
  const created = await nameErrors(settings, entry.name, () => entry.create(options, services));
  return { ...created, pack: withIgnoredWrite(created.pack, settings.file) };
}

function checkRoot(root: string, origin: string): void {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new ConfigurationError(`${origin}: expected an existing directory, received ${root}`);
}

/**
 * The store for packs: it opens only the workspaces that the settings allow. On the two-tool surface, each call selects its
 * workspace.
 */
function storeForPacks({ surface, workspaces }: Settings, opened: OwnedStore): Store {
  const store = opened.restrict({
    workspaces: workspaces.value,
    hint: 'Calls work in this project\'s workspace. The user may allow others: "workspaces" in the config file of toolpacks.',
  });
  if (surface.value !== "two-tool") return store;
  return followWorkspace(store);
}

function openRelay(
  { options, isStored, keepsStructured }: NonNullable<MountPlan["relay"]>,
  store: Store,
  log: Log,
): ServerRelay {
  return serverRelay({
    ...definedOnly(options),
    ...(isStored && { store }),
    keepsStructured,
    onError: (error) => log.warn(`a large result is sent in full because it cannot be stored: ${String(error)}`),
  });
}

/** The generic tools over the records of every pack. A view of the catalog leaves out the kinds of packs that it hides. */
function recordTools(packs: readonly Pack[], store: Store): Pack {
  return storePack({ store, kinds: packs.flatMap((pack) => pack.kinds) });
}

const noServers: ServerPacks = { packs: [], leftOut: [], problems: [] };

/** Creates packs of other servers. The code is loaded only when there are any. */
async function createServers(plan: MountPlan, context: ServersContext): Promise<ServerPacks> {
  const servers = plan.servers.filter(({ isPerCaller }) => isPerCaller === (context.caller !== undefined));
  if (servers.length === 0) return noServers;
  return (await import("./server-packs.ts")).createServerPacks({ ...plan, servers }, context);
}

function joinServers(...parts: readonly ServerPacks[]): ServerPacks {
  return {
    packs: parts.flatMap(({ packs }) => packs),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
    problems: parts.flatMap(({ problems }) => problems),
  };
}

/** Adds the pack's place in the config file to an error of its factory. */
async function nameErrors<T>({ file }: Settings, name: string, create: () => T | Promise<T>): Promise<T> {
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

interface FacetSelection extends Pick<Mounting, "plan" | "settings" | "store" | "leftOut"> {
  readonly all: readonly Pack[];
}

/** All packs, or the pack of the only facet, with the generic record tools when it has no tools of its own. */
async function packsForFacet({ plan, all, settings, store, leftOut }: FacetSelection): Promise<readonly Pack[]> {
  const { facet } = plan;
  if (facet === undefined) return all;
  const only = all.find(({ name }) => name === facet);
  if (only === undefined) throw unavailableFacet(facet, [...leftOut, ...all], settings);
  if (only.kinds.length === 0 || (await only.tools()).length > 0) return [only];
  return [only, recordTools([only], store)];
}

function unavailableFacet(
  facet: string,
  known: readonly (Pick<Pack, "name"> & Partial<LeftOut>)[],
  { facet: { origin } }: Settings,
): ConfigurationError {
  const leftOut = known.find(({ name }) => name === facet);
  if (leftOut !== undefined) {
    return new ConfigurationError(`${origin}: ${facet} cannot be mounted: ${leftOut.reason}. ${leftOut.hint}`);
  }
  const names = known.map(({ name }) => name).join(", ");
  return new ConfigurationError(`${origin}: no facet is named ${facet}; there are ${names}`);
}

function excludedByFacet({ facet }: MountPlan, all: readonly Pack[], packs: readonly Pack[]): readonly LeftOut[] {
  if (facet === undefined) return [];
  const names = new Set(packs.map(({ name }) => name));
  return all.filter(({ name }) => !names.has(name)).map(({ name }) => ({ name, ...notSelected(facet) }));
}

function withhold({ name, reason, hint, hasUnknownTools }: LeftOut): Withheld {
  if (hasUnknownTools === true) return { reason: `the pack ${name} is not mounted: ${reason}`, hint };
  const prefix = bundledPacks.find((pack) => pack.name === name)?.prefix ?? prefixOf(name);
  return { prefix, reason: `the ${name} pack is not mounted: ${reason}`, hint };
}
