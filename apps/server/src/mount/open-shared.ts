import type { Writable } from "node:stream";
import { type CallCount, createCallCount, definedOnly, type OwnedStore, type Pack, type Store } from "@toolpacks/core";
import { serverRelay, type ServerRelay } from "@toolpacks/relay/server";
import type { Models } from "@toolpacks/models";
import { intentFields } from "@toolpacks/surface";
import type { ConnectionLimit, RemoteState } from "@toolpacks/upstream";
import type { ServerPacks, ServerPacksOptions } from "@toolpacks/upstream/servers";
import { configFlags, type Settings } from "../config/settings.ts";
import type { Log } from "../log.ts";
import { openModels } from "../models.ts";
import { storeDriver } from "../stores/open-store.ts";
import type { MountPlan, RelayPlan } from "./mount-plan.ts";

/** What all mountings of a process share. The first mounting opens and ends it. */
export interface SharedParts {
  /** Storage of accepted tools and sign-ins. Undefined: files of the user's data folder. */
  readonly state: RemoteState | undefined;
  /** The limits of servers with an identity of each caller, by key. */
  readonly limits: Map<string, ConnectionLimit>;
  /** The packs of other servers that all callers use with one identity. */
  readonly servers: ServerPacks;
  /** The relay whose values are in memory. Undefined: each mounting keeps them in its store, or the relay is off. */
  readonly relay: ServerRelay | undefined;
  /** Imported packs without a store, by specifier. */
  readonly imported: Map<string, Pack>;
  /** The running calls of all mountings. */
  readonly calls: CallCount;
  /** The configured models. */
  readonly models: Models;
}

export interface SharedContext {
  readonly settings: Settings;
  readonly store: OwnedStore;
  readonly log: Log;
  /** Where responses to the client of a server on stdio are written. */
  readonly output?: Writable | undefined;
}

export async function openShared(
  plan: MountPlan,
  { settings, store, log, output }: SharedContext,
): Promise<SharedParts> {
  const state = plan.servers.length === 0 ? undefined : await openRemoteState(settings, store);
  const limits = new Map<string, ConnectionLimit>();
  return {
    state,
    limits,
    servers: await createServers(plan, { settings, log, state, limits, output }),
    relay: plan.relay?.isStored === false ? openRelay(plan.relay, log) : undefined,
    imported: new Map(),
    calls: createCallCount(),
    models: openModels(settings, { store, log }),
  };
}

/** The storage of accepted tools and sign-ins in a store that several machines share. Undefined: they are in files of the user's data folder. */
async function openRemoteState(settings: Settings, store: OwnedStore): Promise<RemoteState | undefined> {
  if (!storeDriver(settings.store).isShared) return undefined;
  const { createStoredState, openSecretBox } = await import("@toolpacks/upstream/shared-state");
  return createStoredState({ store: store.internal(), openBox: () => openSecretBox(settings.io.env) });
}

/** @param store keeps the values. Default: memory of this process */
export function openRelay({ options, keepsStructured }: RelayPlan, log: Log, store?: Store): ServerRelay {
  return serverRelay({
    ...definedOnly(options),
    store,
    keepsStructured,
    onError: (error) => log.warn(`a large result is sent in full because it cannot be stored: ${String(error)}`),
  });
}

const noServers: ServerPacks = { packs: [], leftOut: [], problems: [] };

interface ServersContext extends Pick<ServerPacksOptions, "log" | "caller" | "limits" | "output"> {
  readonly settings: Pick<Settings, "file" | "io">;
  readonly state: RemoteState | undefined;
}

/** Creates packs of other servers. The code is loaded only when there are any. */
export async function createServers(plan: MountPlan, context: ServersContext): Promise<ServerPacks> {
  const { settings, state, log, caller, limits, output } = context;
  const { file, io } = settings;
  const servers = plan.servers.filter(({ isPerCaller }) => isPerCaller === (caller !== undefined));
  if (servers.length === 0) return noServers;
  const isTwoTool = plan.surface === "two-tool";
  const host = {
    // These surfaces list tools at the start. Tools of slow servers are added later.
    ...((isTwoTool || plan.surface === "auto") && { firstListTimeoutSeconds: 0 }),
    ...(isTwoTool && { reserved: [...intentFields] }),
    hintFlags: [...configFlags(file)],
    scope: file?.path,
    state,
  };
  const { serverPacks } = await import("@toolpacks/upstream/servers");
  const directory = file?.directory ?? io.cwd;
  return serverPacks(servers, { directory, environment: io.env, log, host, caller, limits, output });
}

/** The packs of several calls of `createServers`, in the order of the plan. */
export function inPlannedOrder({ servers }: MountPlan, ...parts: readonly ServerPacks[]): ServerPacks {
  const packs = new Map(parts.flatMap((part) => part.packs.map((pack) => [pack.name, pack])));
  return {
    packs: servers.flatMap(({ name }) => packs.get(name) ?? []),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
    problems: parts.flatMap(({ problems }) => problems),
  };
}
