import { claimStdout } from "../claim-stdout.ts";
import type { OpenHost, ServeFlags } from "../hosts/hosts.ts";
import { LiveRuntime } from "../live-runtime.ts";
import { openObservability } from "../observability/open-observability.ts";
import { exitWithHost, surviveRejections } from "../process-lifetime.ts";
import { createRuntime, type Runtime } from "../mount/runtime.ts";
import { printError } from "../print.ts";
import { logStartup } from "../startup-log.ts";
import { WorkflowClock } from "../workflow-clock.ts";

/** `toolpacks serve`: serves MCP until the host ends, over stdio when stdin closes, or until a signal arrives. */
export async function serve(flags: ServeFlags, openHost: OpenHost): Promise<void> {
  const stdout = claimStdout();
  if (flags["http"] !== true && process.stdin.isTTY) {
    printError(
      "toolpacks waits on stdin for an MCP client, which starts it by itself.",
      "Set up a client: toolpacks init. All commands: toolpacks help. To end: Ctrl-C.",
    );
  }
  const observability = await openObservability({ isHttp: flags["http"] === true });
  const runtime = await createRuntime(flags, { observability });
  const { settings, log } = runtime;
  let currentStore = runtime.store;
  surviveRejections(log);
  const host = await openHost({
    flags,
    settings,
    currentStore: () => currentStore,
    log,
    stdout,
    observability: observability?.http,
  });
  const clock: WorkflowClock = new WorkflowClock((principal) => live.surfaceFor(principal));
  const live = new LiveRuntime(runtime, {
    create: async (roots) => {
      const next = await createRuntime(flags, { named: roots, observability });
      currentStore = next.store;
      host.onSettings?.(next.settings);
      await clock.follow(next);
      return next;
    },
    hasOneClient: host.hasOneClient,
  });
  const running = await host.start(live.surfaceFor);
  // From the first request on, a signal ends the server in order.
  exitWithHost(running, async (drainTimeoutMs) => {
    await clock.stop();
    await live.finish(drainTimeoutMs);
    await observability?.flush();
  });
  await clock.follow(runtime);
  logStartup(runtime);
  if (!host.hasOneClient) warnOfAccessesLater(runtime);
  await live.follow();
  if (!host.hasOneClient && hasRemotes(runtime)) void warnOfSharedCredentials(runtime);
}

function hasRemotes({ mounting }: Runtime): boolean {
  return mounting.upstreams.length > 0;
}

/** Delay of warnings about tokens and scopes, in ms. The first requests are answered before. */
const accessWarningsDelayMs = 1_000;

/** Warns of tokens and scopes with facets, tools, roots or workspaces that this server cannot grant. */
function warnOfAccessesLater({ mounting, settings, log }: Runtime): void {
  const { value: http } = settings.http;
  if (http.tokens === undefined && http.oauth === undefined) return;
  const warn = async () => {
    const { namedAccesses } = await import("../access/named-accesses.ts");
    const { accessNotes } = await import("../mount/known-names.ts");
    for (const note of await accessNotes(await namedAccesses(http), mounting)) log.warn(note);
  };
  setTimeout(() => {
    warn().catch((error: unknown) => log.error("the rights of tokens and scopes could not be checked", error));
  }, accessWarningsDelayMs).unref();
}

/** Warns of servers whose credentials all authenticated callers use. */
async function warnOfSharedCredentials({ mounting, settings, log }: Runtime): Promise<void> {
  const { hasAuthentication, sharedCredentialWarnings } = await import("../mount/shared-credentials.ts");
  if (!hasAuthentication(settings)) return;
  for (const warning of await sharedCredentialWarnings(mounting)) log.warn(warning);
}
