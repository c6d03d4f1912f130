import { createLog, type LogSink } from "@toolpacks/telemetry";
import { printError, type Io } from "@toolpacks/terminal";

export { createLog, logLevels, type LogLevel, type LogSink } from "@toolpacks/telemetry";
export type { PackLog as Log } from "@toolpacks/core";

/** Writes messages as plain text on a command's stderr. stdout carries the protocol. */
export function logTo(io: Io): LogSink {
  return (_, message, cause) => printError(io, `toolpacks: ${message}`, ...cause);
}

/** A log that writes nothing. */
export const silentLog = createLog("silent", () => {});
