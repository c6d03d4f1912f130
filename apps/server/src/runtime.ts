import { setTimeout as wait } from "node:timers/promises";
import { createCatalog, type OwnedStore } from "@toolpacks/core";
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

/** What every command starts from. */
export interface Runtime {
  readonly settings: Settings;
  readonly mounting: Mounting;
  readonly surface: Surface;
  readonly log: Log;
  /**
   * Waits for the calls that run, on every surface that was built, however long they take, writes what was left to write, and lets go of servers and
   * store. Given `patienceMs`, because nobody can be answered any more, it waits for so many milliseconds at most, and lets go of servers at once.
   */
  readonly finish: (drainTimeoutMs?: number) => Promise<void>;
  /** The same with another surface over the same packs, for when what other servers offer has changed. */
  readonly rebuild: () => Promise<Runtime>;
}

/** How long other servers may take to end when nobody can be answered any more. This process's end is theirs. */
const shutdownTimeoutMs = 1_500;

/**
 * From flags, environment and config file to a surface that is ready to be served.
 *
 * @param quiet log level of a command whose answer is what is wanted, where no flag names another
 * @param named the roots that the client has named
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
    const isHurried = drainTimeoutMs !== undefined;
    // A call of theirs ends with them.
    const ended = isHurried ? Promise.race([endRemotes(mounting), wait(shutdownTimeoutMs)]) : undefined;
    await (isHurried ? Promise.race([idle, wait(drainTimeoutMs)]) : idle);
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

/** What of the store's first use is not told before the call that used it is answered. */
const notesDelayMs = 1_000;

/** Says which other workspaces of the store may be the folder's. */
function logNotesLater(found: FolderWorkspace, store: () => OwnedStore, log: Log): void {
  const tell = async () => {
    const { storeNotes } = await import("./workspaces/workspace-notes.ts");
    for (const note of await storeNotes(store(), found)) log.warn(note);
  };
  setTimeout(() => void tell().catch(() => {}), notesDelayMs).unref();
}

/** Ids of the workspaces that there are, as the memory pack knows them: without those that were archived. */
function workspaces({ packs, store }: Mounting): { workspaces?: () => Promise<readonly string[]> } {
  if (packs.every(({ name }) => name !== "memory")) return {};
  return { workspaces: async () => (await import("@toolpacks/memory")).workspaceIds(store) };
}

/** @throws ConfigurationError when expose or deny name what does not exist */
export async function buildSurface(settings: Settings, mounting: Mounting, log: Log): Promise<Surface> {
  const { facet, results, autoBudget, readOnly } = settings;
  const exposed = exposable(settings, mounting);
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
    deny,
    readOnly: readOnly.value,
    search: { embeddings: embeddingEndpoint(settings), onWarning: (message: string) => log.warn(message) },
    onBug: (error: unknown, name: string) => log.error(`${name} failed`, error),
  } satisfies SurfaceOptions;
  const surface = await withRelay(options, relay);
  mounting.setSurface(surface);
  return surface;
}

/** Inside what else is around the calls, which then sees handles and not what they stand for. */
async function withRelay(options: SurfaceOptions, relay: ServerRelay | undefined): Promise<Surface> {
  if (relay === undefined) return createSurface(options);
  const relayed = { ...options, interceptors: [...(options.interceptors ?? []), relay.interceptor] };
  if (options.surface !== "auto") return createSurface(relayed);
  const surface = await createSurface(options);
  if (surface.name === "direct") return surface;
  return createSurface({ ...relayed, surface: surface.name, packs: [...options.packs, relay.pack] });
}

/** What can be denied as things are mounted: a facet that is left out is denied already. */
async function checkDenied(
  { deny, file }: Settings,
  { packs, leftOut, withheld }: Mounting,
): Promise<readonly string[]> {
  const denied = deny.value.filter((name) => !isRelay(name) && leftOut.every((one) => one.name !== name));
  const facets = new Set(packs.map(({ name }) => name));
  // Another server's tools are not asked for at the start; a name that begins as theirs do may be one of them.
  const mayBeRemote = (name: string) => packs.some(({ remote }) => remote && name.startsWith(remote.prefix));
  const unsure = denied.filter((name) => !facets.has(name) && !mayBeRemote(name));
  if (unsure.length === 0) return denied;
  // A denied name that is no facet must be a tool, which only the packs can tell.
  const own = packs.filter(({ remote }) => remote === undefined);
  const problemOf = (names: readonly string[]) =>
    createCatalog({ packs: own, withheld, deny: names })
      .entries()
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

/** What is exposed, but for servers that are left out: one of them must not cost the others. */
function exposable({ expose, facet, file }: Settings, { packs, leftOut }: Mounting): readonly string[] | undefined {
  const facets = [coreFacet, ...packs.map(({ name }) => name)];
  for (const name of expose.value ?? []) {
    if (facets.includes(name) || mayNameIgnored(expose, file)) continue;
    const why = leftOut.find((one) => one.name === name);
    // One pack alone is listed whatever is exposed otherwise, so that a config file serves with and without --facet.
    if (why !== undefined && (facet.value !== undefined || isServer(name))) continue;
    if (why !== undefined)
      throw new ConfigurationError(`${expose.origin}: ${name} is not mounted: ${why.reason}. ${why.hint}`);
    throw new ConfigurationError(`${expose.origin}: no facet is named ${name}; there are ${facets.join(", ")}`);
  }
  return expose.value?.filter((name) => facets.includes(name));
}

/** Whether a list may name packs of an untrusted config file, which are not mounted. */
function mayNameIgnored({ source }: Setting<unknown>, file: Settings["file"]): boolean {
  return source === "file" && file !== undefined && file.ignored.length > 0;
}

/** Of what can be left out, packs are ours and the rest is other servers. */
function isServer(name: string): boolean {
  return bundledPacks.every((pack) => pack.name !== name);
}
