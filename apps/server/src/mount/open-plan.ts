import {
  type CallObserver,
  ConfigurationError,
  coreFacet,
  createCallCount,
  createCatalog,
  errorText,
  type Pack,
  type Store,
  type Withheld,
} from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { toolPrefix } from "@toolpacks/upstream/config";
import type { Settings } from "../config/settings.ts";
import type { PackServices } from "./bundled-pack.ts";
import { bundledPacks } from "./bundled-packs.ts";
import { createPacks } from "./create-packs.ts";
import { notSelected, type LeftOut, type MountPlan } from "./mount-plan.ts";
import { mountStores } from "./mount-stores.ts";
import {
  createServers,
  inPlannedOrder,
  openRelay,
  openShared,
  type SharedContext,
  type SharedParts,
} from "./open-shared.ts";
import type { Mounting } from "./mounting.ts";
import { readPolicyNames } from "./policy-names.ts";

export interface MountContext extends SharedContext {
  readonly observe?: CallObserver | undefined;
  /** Id of the principal whose own servers are mounted. Default "": the local user. */
  readonly caller?: string;
  /** Ids of the workspaces that calls may open, their own first. Default: the workspaces of the settings. */
  readonly workspaces?: readonly string[] | undefined;
  /** The parts of the first mounting of the process. Default: they are opened. */
  readonly shared?: SharedParts;
  /** Whether packs that cannot be created are left out with a problem, so that `doctor` finds every problem. Default: they are refused. */
  readonly leavesOutInvalid?: boolean;
}

/**
 * Creates every pack that a plan names.
 *
 * @throws ConfigurationError for an unknown facet, a root that is not a directory, or a pack that cannot be created
 */
export async function openPlan(plan: MountPlan, context: MountContext): Promise<Mounting> {
  const { settings, store: opened, log, observe, output, caller = "" } = context;
  const shared = context.shared ?? (await openShared(plan, { settings, store: opened, log, output }));
  const isFirst = context.shared === undefined;
  const { store, ownStore } = mountStores(opened, { plan, settings, workspaces: context.workspaces });
  const services: PackServices = { store, ownStore, local: opened.local(), settings, log, models: shared.models };
  const created = await createPacks(plan, { services, instances: shared.imported });
  if (created.problems.length > 0 && context.leavesOutInvalid !== true)
    throw new ConfigurationError(...created.problems);
  const { bundled, imported } = created;
  const relay = plan.relay && (shared.relay ?? openRelay(plan.relay, log, ownStore));
  const inOrder = (isLast: boolean) =>
    bundled.flatMap(({ pack, entry }) => ((entry.isLast ?? false) === isLast ? [pack] : []));
  const first = [...inOrder(false), ...imported];
  const last = inOrder(true);
  const own = [...first, recordTools([...first, ...last], store)];
  // With `auto`, the surface is chosen later, and the relay pack is added then, unless each surface has it.
  const isLater = plan.surface === "auto" && plan.relay?.isOnDirect !== true;
  const relayPacks = relay === undefined || isLater ? [] : [relay.pack];
  const ofCaller = await createServers(plan, { settings, log, caller, output, ...shared });
  const servers = inPlannedOrder(plan, shared.servers, ofCaller);
  const all = [...own, ...servers.packs, ...last, ...relayPacks];
  checkNames(all, settings);
  if (isFirst && imported.length > 0) await checkTools([...own, ...last, ...relayPacks], settings);
  const known = [...plan.leftOut, ...created.leftOut, ...servers.leftOut];
  const packs = await packsForFacet({ plan, all, leftOut: known, settings, store });
  const leftOut = [...known, ...excludedByFacet(plan, all, packs)];
  const withheld = leftOut.map(withhold);
  const remotes = (isFirst ? servers : ofCaller).packs.filter((pack) => packs.includes(pack));
  const named = { plan, settings, packs, leftOut, withheld, isFirst };
  return {
    ...named,
    store,
    upstreams: servers.packs.filter((pack) => packs.includes(pack)),
    problems: [...created.problems, ...servers.problems],
    observers: [...(observe ? [observe] : []), ...bundled.flatMap(({ observer }) => observer ?? [])],
    interceptors: bundled.flatMap(({ interceptor }) => interceptor ?? []),
    relay,
    shared,
    catalog: createCatalog({ packs, withheld }),
    relayedCatalog: once(() => createCatalog({ packs: [...packs, ...(relay ? [relay.pack] : [])], withheld })),
    policy: once(() => readPolicyNames(named)),
    calls: createCallCount(shared.calls),
    watch(changed) {
      const sources = [...remotes.map(({ remote }) => remote), ...packs.flatMap((pack) => pack.promptSource ?? [])];
      const stops = sources.map((source) => source.watch(changed));
      return () => stops.forEach((stop) => stop());
    },
    async endRemotes() {
      await Promise.all(remotes.map(({ remote }) => remote.end()));
    },
    async endStores() {
      await Promise.all([store.end(), ownStore.end()]);
    },
  };
}

/** A function that runs work at its first call, and returns the same result at each. */
function once<Result>(work: () => Result): () => Result {
  let result: { readonly value: Result } | undefined;
  return () => (result ??= { value: work() }).value;
}

/** The generic tools over the records of every pack. A view of the catalog leaves out the kinds of packs that it hides. */
function recordTools(packs: readonly Pack[], store: Store): Pack {
  return storePack({ store, kinds: packs.flatMap((pack) => pack.kinds) });
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
  const relay = all.filter(({ name }) => name === "relay" && name !== facet);
  if (only === undefined) throw unavailableFacet(facet, [...leftOut, ...all], settings);
  if (only.kinds.length === 0 || (await only.tools()).length > 0) return [only, ...relay];
  return [only, recordTools([only], store), ...relay];
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
  const prefix = bundledPacks.find((pack) => pack.name === name)?.prefix ?? toolPrefix(name);
  return { prefix, reason: `the ${name} pack is not mounted: ${reason}`, hint };
}
