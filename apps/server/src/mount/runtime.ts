import type { Writable } from "node:stream";
import { withTimeout, type OwnedStore } from "@toolpacks/core";
import type { Surface } from "@toolpacks/surface";
import type { ClientRoots } from "@toolpacks/files";
import { readSettings } from "../config/read-settings.ts";
import { withClientRoots, type Flags, type Settings } from "../config/settings.ts";
import { localPrincipal, type BuiltSurface, type Callers, type SurfaceSource } from "@toolpacks/host";
import type { Io } from "@toolpacks/terminal";
import { createLog, logTo, type LogLevel, type LogSink } from "../log.ts";
import type { Observability } from "@toolpacks/telemetry";
import { openStore } from "../stores/open-store.ts";
import { buildSurface } from "./build-surface.ts";
import { planMount } from "./mount-plan.ts";
import type { Mounting } from "./mounting.ts";
import { openPlan, type MountContext } from "./open-plan.ts";

/** The settings, packs and surface of one server or command. */
export interface Runtime extends Required<SurfaceSource> {
  readonly settings: Settings;
  /** The store with all workspaces. */
  readonly store: OwnedStore;
  /** The mounting of the settings. */
  readonly mounting: Mounting;
  /** The surface of the user who started the process. */
  readonly surface: Surface;
  /**
   * Builds a surface for callers. Packs are bound to a store and to roots, so callers with other roots, workspaces or servers get a mounting of their
   * own, which shares the connection to the store and the other servers that are not the caller's own.
   *
   * @throws ConfigurationError for a root that cannot be granted
   */
  readonly build: (callers: Callers) => Promise<BuiltSurface & { readonly mounting: Mounting }>;
  /**
   * Waits for running calls on every surface, and closes other servers and the store, which writes what is queued. With `drainTimeoutMs`, it waits for calls at
   * most this long and closes the servers at once, since no result can be delivered any more.
   */
  readonly finish: (drainTimeoutMs?: number) => Promise<void>;
}

/** Time allowed for upstream servers to shut down on exit, in ms. They are killed with this process. */
const shutdownTimeoutMs = 1_500;

export interface RuntimeOptions {
  /** The folder, variables and stderr of the command. */
  readonly io: Io;
  /** Log level of a command, if no flag sets one. */
  readonly quiet?: LogLevel;
  /** The client's roots. */
  readonly named?: ClientRoots | undefined;
  /** Where the log goes. Default: the log of `observability`, else stderr. */
  readonly sink?: LogSink | undefined;
  /** The log, metrics and traces of a server. */
  readonly observability?: Observability | undefined;
  /** Where responses to the client of a server on stdio are written. */
  readonly output?: Writable | undefined;
  /** The principal whose own servers are mounted, as `--caller` names it. Default: the local user. */
  readonly caller?: string | undefined;
  /** Whether calls are recorded as traces, if the settings record them. Default true. */
  readonly recordsTraces?: boolean;
  /** Returns the settings for a command that needs only some packs. Default: all settings. */
  readonly narrow?: (settings: Settings) => Settings;
}

/**
 * Creates the runtime from flags, environment and config file.
 */
export async function createRuntime(flags: Flags, options: RuntimeOptions): Promise<Runtime> {
  const { io, quiet, named, observability, output, caller, recordsTraces = true } = options;
  const { sink = observability?.sink ?? logTo(io), narrow = (settings) => settings } = options;
  const settings = narrow(withClientRoots(await readSettings(io, flags, sink), named));
  const level = flags.logLevel ?? quiet ?? settings.logLevel.value;
  const log = createLog(level, sink);
  const store = await openStore(settings, {
    onWarning: (message) => log.warn(message),
    onUnavailable: observability?.onStoreError,
  });
  const context = { settings, store, log, output, observe: observability?.observer(level) };
  const opened = await openPlan(planMount(settings), { ...context, caller: await callerId(caller, settings) });
  const mounting = recordsTraces ? opened : { ...opened, observers: [] };
  const open = new Set([mounting]);
  const build = async (callers: Callers) => {
    const { access } = callers;
    const isShared = isLocal(callers);
    const of = isShared ? mounting : await openFor(callers, { ...context, shared: mounting.shared });
    open.add(of);
    const own = {
      isBusy: () => of.calls.running() > 0,
      watch: (changed: () => void) => of.watch(changed),
      async end() {
        if (open.delete(of)) await Promise.all([of.endRemotes(), of.endStores()]);
      },
    };
    const rebuild = () => buildSurface(of, { log, access });
    return { mounting: of, surface: await rebuild(), rebuild, own: isShared ? undefined : own };
  };
  const ofAll = (work: (one: Mounting) => Promise<void>) => Promise.allSettled([...open].map(work));
  const endRemotes = () => ofAll((one) => one.endRemotes());
  const finish = async (drainTimeoutMs?: number) => {
    const idle = mounting.shared.calls.idle();
    const hasTimeout = drainTimeoutMs !== undefined;
    // Calls of other servers end when the servers end.
    const ended = hasTimeout ? withTimeout(endRemotes(), { ms: shutdownTimeoutMs, onTimeout: () => {} }) : undefined;
    await (hasTimeout ? withTimeout(idle, { ms: drainTimeoutMs, onTimeout: () => {} }) : idle);
    await (ended ?? endRemotes());
    await ofAll((one) => one.endStores());
    await store.end().catch((error: unknown) => log.error("the store could not be closed", error));
  };
  const { surface } = await build({ access: undefined, caller: undefined });
  const isPerCaller = mounting.plan.servers.some((server) => server.isPerCaller);
  const watch = (changed: () => void) => mounting.watch(changed);
  return { settings, store, mounting, surface, isPerCaller, log, build, watch, finish };
}

/** Whether callers use the mounting of the settings. */
function isLocal({ access, caller = "" }: Callers): boolean {
  return access?.roots === undefined && access?.workspaces === undefined && caller === "";
}

async function openFor({ access, caller = "" }: Callers, context: MountContext): Promise<Mounting> {
  const { narrowSettings } = await import("./caller-rights.ts");
  const { roots, workspaces } = access ?? {};
  const settings = narrowSettings(context.settings, { roots, workspaces });
  return openPlan(planMount(settings), { ...context, settings, caller, workspaces });
}

/** The id of the principal that `--caller` names. Without one, the local user's. */
async function callerId(named: string | undefined, settings: Settings): Promise<string> {
  if (named === undefined) return localPrincipal.id;
  const { principalNamed } = await import("./principal-named.ts");
  return principalNamed(named, settings);
}
