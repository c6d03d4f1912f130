import type { PackLog } from "@toolpacks/core";
import { createLog as createLogOf, type LogLevel, type LogSink } from "@toolpacks/telemetry";
import { type Io, printError } from "@toolpacks/terminal";

export { logLevels, type LogLevel, type LogSink } from "@toolpacks/telemetry";
export type { PackLog as Log } from "@toolpacks/core";

/** Writes a message as plain text on the stderr of the process. */
export const printLog: LogSink = (_, message, cause) => printError(`toolpacks: ${message}`, ...cause);

/** Writes messages as plain text on a command's stderr. */
export function logTo(io: Io): LogSink {
  return (_, message, cause) => printError(io, `toolpacks: ${message}`, ...cause);
}

/** @param sink default: plain text on stderr. stdout carries the protocol */
export function createLog(level: LogLevel, sink: LogSink = printLog): PackLog {
  return createLogOf(level, sink);
}
