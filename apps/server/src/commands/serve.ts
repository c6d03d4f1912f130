import { setTimeout as wait } from "node:timers/promises";
import { claimStdout } from "../claim-stdout.ts";
import type { Flags } from "../config/settings.ts";
import type { Host, HostOptions } from "../hosts/host.ts";
import { prepare, type Prepared } from "../prepare.ts";
import { version } from "../version.ts";

/** How long a running call may take to end after the client is gone or a signal came. */
const graceMs = 5_000;

/** `toolpacks serve`: MCP over stdio until stdin closes or a signal comes. */
export async function serve(flags: Flags): Promise<void> {
  const output = claimStdout();
  const prepared = await prepare(flags);
  const { settings, log } = prepared;
  // One pack's forgotten promise must not end the server for every other.
  process.on("unhandledRejection", (reason) => log.error("a pack left a rejection unhandled", reason));
  const host = await open(settings.sdk.value, {
    surface: prepared.surface,
    listChanged: settings.watch.value || hasRemotes(prepared),
    version,
    input: process.stdin,
    output,
    onError: (error) => log.debug(`transport: ${error.message}`),
  });
  log.info(banner(prepared));
  for (const { name, reason, hint } of prepared.mounting.leftOut) log.info(`${name} is left out: ${reason}. ${hint}`);
  tellNotes(prepared);

  let current = prepared;
  const served = new Set([current]);
  const replace = async (next: Prepared) => {
    // One with the same packs ends for both.
    if (next.mounting === current.mounting) served.delete(current);
    current = next;
    served.add(current);
    await host.update(current.surface);
  };
  let stop = followRemotes(() => current, replace);
  if (settings.watch.value) {
    const { watchConfig } = await import("../watch-config.ts");
    watchConfig(flags, prepared, async (next) => {
      stop();
      const before = current;
      await replace(next);
      void before.finish().then(() => served.delete(before));
      stop = followRemotes(() => current, replace);
      log.info(banner(next));
    });
  }
  endWith(host, served);
}

/** A start does not wait for what is told of the folder's workspace. */
const notesDelayMs = 1_000;

function tellNotes({ settings, log }: Prepared): void {
  const tell = async () => {
    const { folderNotes } = await import("../workspaces/workspace-notes.ts");
    for (const note of folderNotes(settings)) log.warn(note);
  };
  setTimeout(() => void tell(), notesDelayMs).unref();
}

function hasRemotes({ mounting }: Prepared): boolean {
  return mounting.packs.some(({ remote }) => remote !== undefined);
}

/** Several servers that start together change what there is together. */
const settleMs = 200;

/** Builds the surface anew when another server's tools, resources or prompts have changed. */
function followRemotes(current: () => Prepared, replace: (next: Prepared) => Promise<void>): () => void {
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
    }, settleMs);
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
function banner({ surface, settings, mounting }: Prepared): string {
  const { facet, expose } = settings;
  const by = facet.value === undefined ? expose : facet;
  const mounted = mounting.packs.map(({ name }) => name).join(", ") || "nothing";
  const who = by.source === "default" ? "default" : `${by.source}, ${by.said}`;
  return `${version}, ${surface.name} surface; mounted: ${mounted}; exposed: ${surface.exposed.join(", ") || "nothing"} (${who})`;
}

/** Ends the process once no call is running on any surface that was served, a replaced one too. */
function endWith(host: Host, served: ReadonlySet<Prepared>): void {
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
