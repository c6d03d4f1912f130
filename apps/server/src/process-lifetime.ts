import { withTimeout } from "@toolpacks/core";
import { callGraceMs, type RunningHost } from "@toolpacks/host";
import type { Log } from "./log.ts";

/** Keeps the process alive after an unhandled rejection: one in a pack must not end the server. */
export function surviveRejections(log: Log): void {
  process.on("unhandledRejection", (reason) => log.error("a pack left a rejection unhandled", reason));
}

/**
 * Ends the process with exit code 0 after the host ended, or after SIGINT or SIGTERM. Running calls get a grace period.
 *
 * @param finish waits for running calls at most this long, and closes what they use
 */
export function exitWithHost(host: RunningHost, finish: (drainTimeoutMs: number) => Promise<void>): void {
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await host.close().catch(() => {});
    // Pending writes are flushed even if a call hangs.
    await withTimeout(finish(callGraceMs), { ms: 2 * callGraceMs, onTimeout: () => {} });
    process.exit(0);
  };
  for (const event of ["SIGINT", "SIGTERM"] as const) process.on(event, () => void end());
  void host.ended.then(end);
}
