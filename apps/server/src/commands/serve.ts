import { openObservability } from "@toolpacks/telemetry";
import type { OpenHost, ServeFlags } from "../hosts/hosts.ts";
import { claimStdout, type Io, printError } from "@toolpacks/terminal";
import { LiveRuntime } from "../live-runtime.ts";
import { surviveRejections, untilHostEnds } from "@toolpacks/host";
import { createRuntime } from "../mount/runtime.ts";
import { version } from "../version.ts";
import { logStartup } from "../startup-log.ts";
import type { WorkflowClock } from "../after-start.ts";

/** `toolpacks serve`: serves MCP until the host ends, over stdio when stdin closes, or until a signal arrives. */
export async function serve(io: Io, flags: ServeFlags, openHost: OpenHost): Promise<void> {
  const stdout = claimStdout(io);
  if (flags["http"] !== true && io.stdin.isTTY === true) {
    printError(
      io,
      "toolpacks waits on stdin for an MCP client, which starts it by itself.",
      "Set up a client: toolpacks init. All commands: toolpacks help. To end: Ctrl-C.",
    );
  }
  // On the process's own stderr, JSON lines are written without waiting for its reader.
  const output = io.stderr === process.stderr ? undefined : io.stderr;
  const observability = await openObservability({ version, isHttp: flags["http"] === true, output });
  const own = { ...flags, userConfig: false } as const;
  const runtime = await createRuntime(own, { io, observability, output: stdout });
  const { settings, log } = runtime;
  let current = runtime;
  let clock: WorkflowClock | undefined;
  const stopSurviving = surviveRejections(log);
  const host = await openHost({
    flags,
    settings,
    currentStore: () => current.store,
    log,
    stdin: io.stdin,
    stdout,
    observability: observability?.http,
  });
  const live = new LiveRuntime(runtime, {
    create: async (roots) => {
      current = await createRuntime(own, { io, named: roots, observability, output: stdout });
      host.onSettings?.(current.settings);
      void clock?.follow(current);
      return current;
    },
    hasOneClient: host.hasOneClient,
  });
  const running = await host.start(live.surfaceFor);
  // From the first request on, a signal ends the server in order.
  const ended = untilHostEnds(running, io, async (drainTimeoutMs) => {
    await clock?.follow(undefined);
    await live.finish(drainTimeoutMs);
    await observability?.flush();
  });
  logStartup(runtime);
  live.follow();
  const work = async () => {
    const { afterStart } = await import("../after-start.ts");
    clock = await afterStart(current, { hasOneClient: host.hasOneClient, surfaceFor: live.surfaceFor });
  };
  setTimeout(() => void work(), afterStartMs).unref();
  await ended;
  stopSurviving();
}

/** Delay of work that no request needs, in ms. The first requests are answered before. */
const afterStartMs = 1_000;
