import { setTimeout as wait } from "node:timers/promises";
import { createCatalog, type OwnedStore, type Pack } from "@toolpacks/core";
import type { ServerRelay } from "@toolpacks/relay/server";
import { coreFacet, createSurface, type Surface, type SurfaceOptions } from "@toolpacks/surface";
import { bundledPacks } from "./bundled-packs.ts";
import type { ClientRoots } from "./accept-roots.ts";
import { readSettings } from "./config/read-settings.ts";
import { withClientRoots, type Flags, type Setting, type Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { embeddingEndpoint } from "./embeddings.ts";
import { createLog, type Log, type LogLevel } from "./log.ts";
import { endRemotes, mountPacks, type Mounting } from "./packs.ts";
import { isRelay, openRelay } from "./relay.ts";
import { openStore } from "./store.ts";
import { openTraces } from "./traces.ts";
import type { FolderWorkspace } from "./workspaces/folder-workspace.ts";

/** The settings, packs and surface of one server or command. */
export interface Runtime {
  readonly settings: Settings;
  readonly mounting: Mounting;
  readonly surface: Surface;
  readonly log: Log;
  /**
   * Waits for running calls on every surface, flushes traces, and closes other servers and the store. With `drainTimeoutMs`, it waits for calls at
   * most this long and closes the servers at once, since no result can be delivered any more.
   */
  readonly finish: (drainTimeoutMs?: number) => Promise<void>;
  /** Builds a new surface over the same packs, after a change of another server's lists. */
  readonly rebuild: () => Promise<Runtime>;
}

/** Time allowed for upstream servers to shut down on exit, in ms. They are killed with this process. */
const shutdownTimeoutMs = 1_500;

/**
 * Creates the runtime from flags, environment and config file.
 *
 * @param quiet log level of a command, if no flag sets one
 * @param named the client's roots
 */
export async function createRuntime(
  flags: Flags,
  { quiet, named }: { readonly quiet?: LogLevel; readonly named?: ClientRoots | undefined } = {},
): Promise<Runtime> {
  const settings = withClientRoots(await readSettings(flags), named);
  const log = createLog(flags.logLevel ?? quiet ?? settings.logLevel.value);
  const store = await openStore(settings, {
    onFolder: (found) => logNotesLater(found, () => store, log),
    onWarning: (message) => log.warn(message),
  });
  const traces = await openTraces(settings, store, log);
  const mounting = await mountPacks(settings, store, { traces, relay: openRelay(settings, store, log), log });
  const surfaces = new Set<Surface>();
  const finish = async (drainTimeoutMs?: number) => {
    const idle = Promise.all([...surfaces].map(({ dispatcher }) => dispatcher.idle()));
    const hasTimeout = drainTimeoutMs !== undefined;
    // Calls of other servers end when the servers end.
    const ended = hasTimeout ? Promise.race([endRemotes(mounting), wait(shutdownTimeoutMs)]) : undefined;
    await (hasTimeout ? Promise.race([idle, wait(drainTimeoutMs)]) : idle);
    await traces?.flush();
    await (ended ?? endRemotes(mounting));
    await store.end().catch((error: unknown) => log.error("the store could not be closed", error));
  };
  const build = async (): Promise<Runtime> => {
    const surface = await buildSurface(settings, mounting, log);
    for (const before of surfaces) void before.dispatcher.idle().then(() => surfaces.delete(before));
    surfaces.add(surface);
    return { settings, mounting, log, surface, finish, rebuild: build };
  };
  return build();
}

/** Delay of notes about the store's workspaces, in ms. The first call is answered before. */
const notesDelayMs = 1_000;

/** Logs which other workspaces of the store may belong to the folder. */
function logNotesLater(found: FolderWorkspace, store: () => OwnedStore, log: Log): void {
  const tell = async () => {
    const { storeNotes } = await import("./workspaces/workspace-notes.ts");
    for (const note of await storeNotes(store(), found)) log.warn(note);
  };
  setTimeout(() => void tell().catch(() => {}), notesDelayMs).unref();
}

/** Lists the ids of workspaces that are not archived, if the memory pack is mounted. */
function workspaces({ packs, store }: Mounting): { workspaces?: () => Promise<readonly string[]> } {
  if (packs.every(({ name }) => name !== "memory")) return {};
  return { workspaces: async () => (await import("@toolpacks/memory")).workspaceIds(store) };
}

/** Builds the surface over the mounted packs. @throws ConfigurationError when `expose` or `deny` has an unknown name */
export async function buildSurface(settings: Settings, mounting: Mounting, log: Log): Promise<Surface> {
  const { facet, results, autoBudget, readOnly } = settings;
  const exposed = checkExposed(settings, mounting);
  const deny = await checkDenied(settings, mounting);
  const { relay, interceptors } = mounting;
  const options = {
    packs: mounting.packs,
    withheld: mounting.withheld,
    interceptors,
    surface: facet.value === undefined ? settings.surface.value : "direct",
    ...(exposed !== undefined && facet.value === undefined && { expose: exposed }),
    ...(results.value !== undefined && { results: results.value }),
    ...(autoBudget.value !== undefined && { autoBudget: autoBudget.value }),
    twoTool: {
      store: mounting.store,
      ...workspaces(mounting),
      ...(relay && { checkHandles: relay.check }),
    },
    rights: { deny, readOnly: readOnly.value },
    search: { embeddings: embeddingEndpoint(settings), onWarning: (message: string) => log.warn(message) },
    onBug: (error: unknown, name: string) => log.error(`${name} failed`, error),
  } satisfies SurfaceOptions;
  const surface = await withRelay(options, relay);
  mounting.setSurface(surface);
  return surface;
}

/** Creates the surface with the relay as the innermost interceptor: the others see handles, not the large values. */
async function withRelay(
  options: Extract<SurfaceOptions, { readonly packs: readonly Pack[] }>,
  relay: ServerRelay | undefined,
): Promise<Surface> {
  if (relay === undefined) return createSurface(options);
  const relayed = { ...options, interceptors: [...(options.interceptors ?? []), relay.interceptor] };
  if (options.surface !== "auto") return createSurface(relayed);
  const surface = await createSurface(options);
  if (surface.name === "direct") return surface;
  return createSurface({ ...relayed, surface: surface.name, packs: [...options.packs, relay.pack] });
}

/** Validates the denied names, and drops facets that are not mounted. */
async function checkDenied(
  { deny, file }: Settings,
  { packs, leftOut, withheld }: Mounting,
): Promise<readonly string[]> {
  const denied = deny.value.filter((name) => !isRelay(name) && leftOut.every((one) => one.name !== name));
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
        (error: unknown) => (error instanceof Error ? error.message.replace(/^deny: /, "") : String(error)),
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
function checkExposed({ expose, facet, file }: Settings, { packs, leftOut }: Mounting): readonly string[] | undefined {
  const facets = [coreFacet, ...packs.map(({ name }) => name)];
  for (const name of expose.value ?? []) {
    if (facets.includes(name) || mayNameIgnored(expose, file)) continue;
    const leftOutPack = leftOut.find((one) => one.name === name);
    // With --facet, the exposed names are not used, so that one config file works with and without it.
    if (leftOutPack !== undefined && (facet.value !== undefined || isServer(name))) continue;
    if (leftOutPack !== undefined)
      throw new ConfigurationError(
        `${expose.origin}: ${name} is not mounted: ${leftOutPack.reason}. ${leftOutPack.hint}`,
      );
    throw new ConfigurationError(`${expose.origin}: no facet is named ${name}; there are ${facets.join(", ")}`);
  }
  return expose.value?.filter((name) => facets.includes(name));
}

/** Whether a list may name packs of an untrusted config file, which are not mounted. */
function mayNameIgnored({ source }: Setting<unknown>, file: Settings["file"]): boolean {
  return source === "file" && file !== undefined && file.ignored.length > 0;
}

/** Whether a name that is left out is another server: it is not a bundled pack. */
function isServer(name: string): boolean {
  return bundledPacks.every((pack) => pack.name !== name);
}
