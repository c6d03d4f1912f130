import { withTimeout, type OwnedStore } from "@toolpacks/core";
import type { Surface } from "@toolpacks/surface";
import type { ClientRoots } from "../accept-roots.ts";
import { readSettings } from "../config/read-settings.ts";
import { withClientRoots, type Flags, type Settings } from "../config/settings.ts";
import { localPrincipal } from "../hosts/host.ts";
import { createLog, type Log, type LogLevel } from "../log.ts";
import { openStore } from "../stores/open-store.ts";
import type { FolderWorkspace } from "../workspaces/folder-workspace.ts";
import { buildSurface } from "./build-surface.ts";
import { planMount } from "./mount-plan.ts";
import { openPlan, type Mounting } from "./open-plan.ts";

/** The settings, packs and surface of one server or command. */
export interface Runtime {
  readonly settings: Settings;
  /** The store with all workspaces. */
  readonly store: OwnedStore;
  readonly mounting: Mounting;
  readonly surface: Surface;
  readonly log: Log;
  /**
   * Waits for running calls on every surface, and closes other servers and the store, which writes what is queued. With `drainTimeoutMs`, it waits for calls at
   * most this long and closes the servers at once, since no result can be delivered any more.
   */
  readonly finish: (drainTimeoutMs?: number) => Promise<void>;
  /** Builds a new surface over the same packs, after a change of another server's lists. */
  readonly rebuild: () => Promise<Runtime>;
}

/** Time allowed for upstream servers to shut down on exit, in ms. They are killed with this process. */
const shutdownTimeoutMs = 1_500;

interface RuntimeOptions {
  /** Log level of a command, if no flag sets one. */
  readonly quiet?: LogLevel;
  /** The client's roots. */
  readonly named?: ClientRoots | undefined;
  /** The principal whose own servers are mounted, as `--caller` names it. Default: the local user. */
  readonly caller?: string | undefined;
}

/**
 * Creates the runtime from flags, environment and config file.
 */
export async function createRuntime(flags: Flags, { quiet, named, caller }: RuntimeOptions = {}): Promise<Runtime> {
  const settings = withClientRoots(await readSettings(flags), named);
  const log = createLog(flags.logLevel ?? quiet ?? settings.logLevel.value);
  const store = await openStore(settings, {
    onFolder: (found) => logNotesLater(found, () => store, log),
    onWarning: (message) => log.warn(message),
  });
  const mounting = await openPlan(planMount(settings), {
    settings,
    store,
    log,
    caller: await callerId(caller, settings),
  });
  const surfaces = new Set<Surface>();
  const finish = async (drainTimeoutMs?: number) => {
    const idle = Promise.all([...surfaces].map(({ dispatcher }) => dispatcher.idle()));
    const hasTimeout = drainTimeoutMs !== undefined;
    // Calls of other servers end when the servers end.
    const ended = hasTimeout
      ? withTimeout(mounting.endRemotes(), { ms: shutdownTimeoutMs, onTimeout: () => {} })
      : undefined;
    await (hasTimeout ? withTimeout(idle, { ms: drainTimeoutMs, onTimeout: () => {} }) : idle);
    await (ended ?? mounting.endRemotes());
    await store.end().catch((error: unknown) => log.error("the store could not be closed", error));
  };
  const build = async (): Promise<Runtime> => {
    const surface = await buildSurface(mounting, log);
    for (const before of surfaces) void before.dispatcher.idle().then(() => surfaces.delete(before));
    surfaces.add(surface);
    return { settings, store, mounting, log, surface, finish, rebuild: build };
  };
  return build();
}

/** The id of the principal that `--caller` names. Without one, the local user's. */
async function callerId(named: string | undefined, settings: Settings): Promise<string> {
  if (named === undefined) return localPrincipal.id;
  const { principalNamed } = await import("../access/principal-named.ts");
  return principalNamed(named, settings);
}

/** Delay of notes about the store's workspaces, in ms. The first call is answered before. */
const notesDelayMs = 1_000;

/** Logs which other workspaces of the store may belong to the folder. */
function logNotesLater(found: FolderWorkspace, store: () => OwnedStore, log: Log): void {
  const tell = async () => {
    const { storeNotes } = await import("../workspaces/workspace-notes.ts");
    for (const note of await storeNotes(store(), found)) log.warn(note);
  };
  setTimeout(() => void tell().catch(() => {}), notesDelayMs).unref();
}
