import type { Writable } from "node:stream";
import { type CallCount, createCallCount, definedOnly, type OwnedStore, type Pack, type Store } from "@toolpacks/core";
import { serverRelay, type ServerRelay } from "@toolpacks/relay/server";
import type { Models } from "@toolpacks/models";
import type { ConnectionLimit, RemoteState } from "@toolpacks/upstream";
import type { Settings } from "../config/settings.ts";
import type { Log } from "../log.ts";
import { openModels } from "../models.ts";
import { openRemoteState } from "./open-remote-state.ts";
import type { MountPlan } from "./mount-plan.ts";
import type { ServerPacks, ServersContext } from "./server-packs.ts";

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

interface SharedContext {
  readonly settings: Settings;
  readonly store: OwnedStore;
  readonly log: Log;
  /** Where responses to the client are written. */
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
    relay: plan.relay?.isStored === false ? openRelay(plan.relay, { log }) : undefined,
    imported: new Map(),
    calls: createCallCount(),
    models: openModels(settings, { store, log }),
  };
}

interface RelayContext {
  /** Keeps the values. Default: memory of this process. */
  readonly store?: Store;
  readonly log: Log;
}

export function openRelay(
  { options, keepsStructured }: NonNullable<MountPlan["relay"]>,
  { store, log }: RelayContext,
): ServerRelay {
  return serverRelay({
    ...definedOnly(options),
    ...(store && { store }),
    keepsStructured,
    onError: (error) => log.warn(`a large result is sent in full because it cannot be stored: ${String(error)}`),
  });
}

const noServers: ServerPacks = { packs: [], leftOut: [], problems: [] };

/** Creates packs of other servers. The code is loaded only when there are any. */
export async function createServers(plan: MountPlan, context: ServersContext): Promise<ServerPacks> {
  const servers = plan.servers.filter(({ isPerCaller }) => isPerCaller === (context.caller !== undefined));
  if (servers.length === 0) return noServers;
  return (await import("./server-packs.ts")).createServerPacks({ ...plan, servers }, context);
}

/** The packs of several calls of `createServers`, in the order of the plan. */
export function inPlannedOrder({ servers }: MountPlan, ...parts: readonly ServerPacks[]): ServerPacks {
  const order = new Map(servers.map(({ name }, at) => [name, at]));
  const place = ({ name }: { readonly name: string }) => order.get(name) ?? servers.length;
  return {
    packs: parts.flatMap(({ packs }) => packs).toSorted((a, b) => place(a) - place(b)),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
    problems: parts.flatMap(({ problems }) => problems),
  };
}
