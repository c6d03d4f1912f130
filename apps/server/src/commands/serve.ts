import { ToolError, withTimeout } from "@toolpacks/core";
import type { ClientRoots } from "../accept-roots.ts";
import { claimStdout } from "../claim-stdout.ts";
import type { Flags, Settings } from "../config/settings.ts";
import type { Host, HostOptions } from "../hosts/host.ts";
import { createRuntime, type Runtime } from "../runtime.ts";
import { version } from "../version.ts";

/** Time allowed for running calls after the client disconnects or a signal, in ms. */
const graceMs = 5_000;

/** `toolpacks serve`: serves MCP over stdio until stdin closes or a signal arrives. */
export async function serve(flags: Flags): Promise<void> {
  const output = claimStdout();
  const runtime = await createRuntime(flags);
  const { settings, log } = runtime;
  // An unhandled rejection in one pack must not end the server.
  process.on("unhandledRejection", (reason) => log.error("a pack left a rejection unhandled", reason));
  const asksForRoots = mayTakeRoots(settings);
  const serving = createServing(flags, runtime);
  const host = await startHost(settings.sdk.value, {
    surface: runtime.surface,
    listChanged: settings.watch.value || hasRemotes(runtime) || asksForRoots,
    version,
    input: process.stdin,
    output,
    ...(asksForRoots && { onRoots: serving.useRoots }),
    onError: (error) => log.debug(`transport: ${error.message.slice(0, 500)}`),
  });
  log.info(banner(runtime));
  for (const { name, reason, hint } of runtime.mounting.leftOut) log.info(`${name} is left out: ${reason}. ${hint}`);
  logNotes(runtime);
  serving.start(host);
  if (settings.watch.value) (await import("../watch-config.ts")).watchConfig(runtime, serving.reload);
  exitWhenIdle(host, serving.served);
}

/** The served runtime, and the ways to replace it while the server runs. */
interface Serving {
  /** The current runtime, and replaced ones that still have running calls. */
  readonly served: ReadonlySet<Runtime>;
  /** Starts to follow changes of other servers. Before that, nothing is replaced. */
  readonly start: (host: Host) => void;
  /** Replaces the runtime by a new one from the current config file and the client's roots. @throws ConfigurationError */
  readonly reload: () => Promise<void>;
  /** Applies the roots of the client. */
  readonly useRoots: (uris: readonly string[]) => Promise<void>;
}

function createServing(flags: Flags, runtime: Runtime): Serving {
  const { log, settings } = runtime;
  let current = runtime;
  const served = new Set([current]);
  const started = Promise.withResolvers<Host>();
  let clientRoots: ClientRoots | undefined;
  let used = JSON.stringify({ accepted: [], refused: [] });
  let stop = () => {};
  let reloads = Promise.resolve();
  const replace = async (next: Runtime) => {
    // Both runtimes share the packs, which are closed once.
    if (next.mounting === current.mounting) served.delete(current);
    current = next;
    served.add(current);
    await (await started.promise).update(current.surface);
  };
  const reloadNow = async () => {
    const next = await createRuntime(flags, { named: clientRoots });
    stop();
    const before = current;
    await replace(next);
    void before.finish().then(() => served.delete(before));
    stop = followRemotes(() => current, replace);
    log.info(banner(next));
  };
  const reload = () => {
    const done = reloads.then(reloadNow);
    reloads = done.catch(() => {});
    return done;
  };
  return {
    served,
    start(host) {
      started.resolve(host);
      stop = followRemotes(() => current, replace);
    },
    reload,
    async useRoots(uris) {
      const { acceptRoots } = await import("../accept-roots.ts");
      const allowed = settings.clientRoots.value;
      clientRoots = await acceptRoots(uris, typeof allowed === "boolean" ? undefined : allowed);
      const next = JSON.stringify(clientRoots);
      if (next === used) return;
      for (const refused of clientRoots.refused) log.warn(`the client's root ${refused}`);
      try {
        await reload();
      } catch (error) {
        log.error("the client's roots cannot be used", error);
        used = "";
        // Calls must not run in the workspace of other roots.
        throw new ToolError("unavailable", `the client's roots cannot be used: ${String(error)}`);
      }
      used = next;
    },
  };
}

/** Whether the client is asked for roots: no root is set, and the settings allow it. */
function mayTakeRoots({ roots, clientRoots, facet }: Settings): boolean {
  return clientRoots.value !== false && roots.value.length === 0 && facet.value === undefined;
}

/** Delay of notes about the folder's workspace, in ms. The start does not wait for them. */
const notesDelayMs = 1_000;

function logNotes({ settings, log }: Runtime): void {
  const tell = async () => {
    const { folderNotes } = await import("../workspaces/workspace-notes.ts");
    for (const note of folderNotes(settings)) log.warn(note);
  };
  setTimeout(() => void tell(), notesDelayMs).unref();
}

function hasRemotes({ mounting }: Runtime): boolean {
  return mounting.packs.some(({ remote }) => remote !== undefined);
}

/** Debounce time of changes, in ms. Several servers that start at once cause one update. */
const debounceMs = 200;

/** Rebuilds the surface after a change of another server's tools, resources or prompts. Returns a function that stops it. */
function followRemotes(current: () => Runtime, replace: (next: Runtime) => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  const { mounting, log } = current();
  const rebuild = async () => {
    const before = current();
    if (before.mounting !== mounting) return;
    await replace(await before.rebuild());
  };
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      rebuild().catch((error: unknown) => log.error("the changed list of another server cannot be applied", error));
    }, debounceMs);
  };
  const stops = mounting.packs.flatMap(({ remote }) => remote?.watch(changed) ?? []);
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

async function startHost(sdk: 1 | 2, options: HostOptions): Promise<Host> {
  if (sdk === 1) return (await import("../hosts/sdk-1.ts")).serveSdk1(options);
  return (await import("../hosts/sdk-2.ts")).serveSdk2(options);
}

/** The startup message: mounted packs, exposed facets, and the setting's origin. */
function banner({ surface, settings, mounting }: Runtime): string {
  const { facet, expose } = settings;
  const by = facet.value === undefined ? expose : facet;
  const mounted = mounting.packs.map(({ name }) => name).join(", ") || "nothing";
  const origin = by.source === "default" ? "default" : `${by.source}, ${by.origin}`;
  return `${version}, ${surface.name} surface; mounted: ${mounted}; exposed: ${surface.exposed.join(", ") || "nothing"} (${origin})`;
}

/** Ends the process once no call is running on any runtime, including replaced ones. */
function exitWhenIdle(host: Host, served: ReadonlySet<Runtime>): void {
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await host.close().catch(() => {});
    // Pending writes are flushed even if a call hangs.
    await withTimeout(Promise.all([...served].map((one) => one.finish(graceMs))), {
      ms: 2 * graceMs,
      onTimeout: () => {},
    });
    process.exit(0);
  };
  for (const event of ["SIGINT", "SIGTERM"] as const) process.on(event, () => void end());
  process.stdin.on("end", () => void end());
  process.stdin.on("close", () => void end());
  process.stdout.on("error", () => void end());
}
