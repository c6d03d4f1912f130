import { hostname } from "node:os";

/** Tells this process from an earlier process with the same number. */
const thisProcess = crypto.randomUUID();
const running = new Set<number>();

/** Time without a heartbeat after which a run's owner counts as dead. */
const silentMs = 60_000;
export const heartbeatMs = 15_000;

interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly process: string;
}

export const owner: Owner = { host: hostname(), pid: process.pid, process: thisProcess };

/** Marks a run as owned by this process, until the returned function is called. */
export function hold(run: number): () => void {
  running.add(run);
  return () => running.delete(run);
}

/** Whether the owner of an unfinished run is still alive. */
export function isAlive(report: { readonly run: number; readonly owner: Owner; readonly heartbeat: string }): boolean {
  const by = report.owner;
  if (by.process === thisProcess) return running.has(report.run);
  if (Date.now() - Date.parse(report.heartbeat) > silentMs) return false;
  return by.host !== owner.host || (by.pid !== process.pid && hasProcess(by.pid));
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
