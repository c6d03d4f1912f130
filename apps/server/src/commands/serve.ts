import { setTimeout as wait } from "node:timers/promises";
import { ToolError } from "@toolpacks/core";
import type { ClientRoots } from "../accept-roots.ts";
import { claimStdout } from "../claim-stdout.ts";
import type { Flags, Settings } from "../config/settings.ts";
import type { Host, HostOptions } from "../hosts/host.ts";
import { createRuntime, type Runtime } from "../runtime.ts";
import { version } from "../version.ts";

/** How long a running call may take to end after the client is gone or a signal came. */
const graceMs = 5_000;

/** `toolpacks serve`: MCP over stdio until stdin closes or a signal comes. */
export async function serve(flags: Flags): Promise<void> {
  const output = claimStdout();
  const runtime = await createRuntime(flags);
  const { settings, log } = runtime;
  // One pack's forgotten promise must not end the server for every other.
  process.on("unhandledRejection", (reason) => log.error("a pack left a rejection unhandled", reason));
  const asksForRoots = mayTakeRoots(settings);
  const serving = createServing(flags, runtime);
  const host = await open(settings.sdk.value, {
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
  endWith(host, serving.served);
}

/** What is served, and what may take its place while the server runs. */
interface Serving {
  /** Everything that a call may still be running on. */
  readonly served: ReadonlySet<Runtime>;
  /** Follows the other servers. Before, nothing is replaced. */
  readonly start: (host: Host) => void;
  /** Prepares everything anew, from the config file as it is now and the client's roots. @throws ConfigurationError */
  readonly reload: () => Promise<void>;
  readonly useRoots: (uris: readonly string[]) => Promise<void>;
}

function createServing(flags: Flags, runtime: Runtime): Serving {
  const { log, settings } = runtime;
  let current = runtime;
  const served = new Set([current]);
  const started = Promise.withResolvers<Host>();
  let named: ClientRoots | undefined;
  let used = JSON.stringify({ accepted: [], refused: [] });
  let stop = () => {};
  let turn = Promise.resolve();
  const replace = async (next: Runtime) => {
    // One with the same packs ends for both.
    if (next.mounting === current.mounting) served.delete(current);
    current = next;
    served.add(current);
    await (await started.promise).update(current.surface);
  };
  const reloadNow = async () => {
    const next = await createRuntime(flags, { named });
    stop();
    const before = current;
    await replace(next);
    void before.finish().then(() => served.delete(before));
    stop = followRemotes(() => current, replace);
    log.info(banner(next));
  };
  const reload = () => {
    const done = turn.then(reloadNow);
    turn = done.catch(() => {});
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
      named = await acceptRoots(uris, typeof allowed === "boolean" ? undefined : allowed);
      const next = JSON.stringify(named);
      if (next === used) return;
      for (const refused of named.refused) log.warn(`the client's root ${refused}`);
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

/** True where no root is given and the client may name some. */
function mayTakeRoots({ roots, clientRoots, facet }: Settings): boolean {
  return clientRoots.value !== false && roots.value.length === 0 && facet.value === undefined;
}

/** A start does not wait for what is told of the folder's workspace. */
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

/** Several servers that start together change what there is together. */
const debounceMs = 200;

/** Builds the surface anew when another server's tools, resources or prompts have changed. */
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
      rebuild().catch((error: unknown) => log.error("what another server offers now cannot be shown", error));
    }, debounceMs);
  };
  const stops = mounting.packs.flatMap(({ remote }) => remote?.watch(changed) ?? []);
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

async function open(sdk: 1 | 2, options: HostOptions): Promise<Host> {
  if (sdk === 1) return (await import("../hosts/sdk-1.ts")).serveSdk1(options);
  return (await import("../hosts/sdk-2.ts")).serveSdk2(options);
}

/** What is mounted and listed, and who said so. */
function banner({ surface, settings, mounting }: Runtime): string {
  const { facet, expose } = settings;
  const by = facet.value === undefined ? expose : facet;
  const mounted = mounting.packs.map(({ name }) => name).join(", ") || "nothing";
  const who = by.source === "default" ? "default" : `${by.source}, ${by.origin}`;
  return `${version}, ${surface.name} surface; mounted: ${mounted}; exposed: ${surface.exposed.join(", ") || "nothing"} (${who})`;
}

/** Ends the process once no call is running on any surface that was served, a replaced one too. */
function endWith(host: Host, served: ReadonlySet<Runtime>): void {
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    await host.close().catch(() => {});
    // Where a call hangs, what the others left to write is not given up for it.
    await Promise.race([Promise.all([...served].map((one) => one.finish(graceMs))), wait(2 * graceMs)]);
    process.exit(0);
  };
  for (const event of ["SIGINT", "SIGTERM"] as const) process.on(event, () => void end());
  process.stdin.on("end", () => void end());
  process.stdin.on("close", () => void end());
  process.stdout.on("error", () => void end());
}
