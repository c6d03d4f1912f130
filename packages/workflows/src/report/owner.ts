import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Stored } from "@toolpacks/core";
import type { z } from "zod";
import type { reportKind, ReportStatus } from "./report-kind.ts";

export type ReportHead = Stored<z.output<typeof reportKind.schema>>;

/** Tells this process from an earlier process with the same number. */
const thisProcess = crypto.randomUUID();

/** Ids of the reports whose runs go on in this process. */
export const runningHere = new Set<string>();

/** Time without a heartbeat after which a run's owner counts as dead. */
const silentMs = 60_000;
/** Time after a write for which a run changes things without another write. Below the time of silence, because clocks differ. */
export const heartbeatMs = 15_000;

/** This process: its number, and the system in which the number is valid. */
export const owner: ReportHead["data"]["owner"] = { host: processSpace(), pid: process.pid, process: thisProcess };

/**
 * Containers of one machine may share its name, and machines a name. A number of a process is valid only in the same namespace of the same boot, where
 * the system tells.
 */
function processSpace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** The state of a report's run now. A run whose owner is dead was interrupted. */
export function currentStatus({ id, data }: ReportHead): ReportStatus {
  return data.status === "running" && !isAlive(id, data) ? "interrupted" : data.status;
}

/** Whether the owner of an unfinished run is still alive. */
function isAlive(report: string, { owner: by, heartbeat }: ReportHead["data"]): boolean {
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
