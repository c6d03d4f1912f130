import { withTimeout, type PackLog } from "@toolpacks/core";
import { callGraceMs } from "./call-grace.ts";
import type { RunningHost } from "./served-surface.ts";

/** The logs of the servers of this process, which share one handler. */
const logs = new Set<PackLog>();

function logRejection(reason: unknown): void {
  for (const log of logs) log.error("a pack left a rejection unhandled", reason);
}

/** Keeps the process alive after an unhandled rejection: one in a pack must not end the server. Returns how to end that. */
export function surviveRejections(log: PackLog): () => void {
  if (logs.size === 0) process.on("unhandledRejection", logRejection);
  logs.add(log);
  return () => {
    logs.delete(log);
    if (logs.size === 0) process.off("unhandledRejection", logRejection);
  };
}

/**
 * Waits until the host ends, or until `signal` is aborted, which a program does at SIGINT and SIGTERM. Running calls then get a grace period.
 *
 * @param finish waits for running calls at most this long, and closes what they use
 */
export async function untilHostEnds(
  host: RunningHost,
  { signal }: { readonly signal: AbortSignal },
  finish: (drainTimeoutMs: number) => Promise<void>,
): Promise<void> {
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  if (!signal.aborted) await Promise.race([host.ended, aborted]);
  await host.close().catch(() => {});
  // Pending writes are flushed even if a call hangs.
  await withTimeout(finish(callGraceMs), { ms: 2 * callGraceMs, onTimeout: () => {} });
}
