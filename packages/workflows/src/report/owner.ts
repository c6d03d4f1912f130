import { hostname } from "node:os";

/** Tells this process from an earlier process with the same number. */
const thisProcess = crypto.randomUUID();

/** Ids of the reports whose runs go on in this process. */
export const runningHere = new Set<string>();

/** Time without a heartbeat after which a run's owner counts as dead. */
const silentMs = 60_000;
export const heartbeatMs = 15_000;

interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly process: string;
}

export const owner: Owner = { host: hostname(), pid: process.pid, process: thisProcess };

/** Whether the owner of an unfinished run is still alive. */
export function isAlive(
  report: string,
  { owner: by, heartbeat }: { readonly owner: Owner; readonly heartbeat: string },
): boolean {
  if (by.process === thisProcess) return runningHere.has(report);
  if (Date.now() - Date.parse(heartbeat) > silentMs) return false;
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
