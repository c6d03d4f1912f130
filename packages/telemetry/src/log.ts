import type { PackLog } from "@toolpacks/core";
import { stackLines } from "@toolpacks/terminal";

export const logLevels = ["silent", "error", "warn", "info", "debug"] as const;

export type LogLevel = (typeof logLevels)[number];

/** Writes one message of the log, with the lines of its cause. */
export type LogSink = (level: keyof PackLog, message: string, cause: readonly string[]) => void;

/** A log of one level and all more important ones. */
export function createLog(level: LogLevel, sink: LogSink): PackLog {
  const writer = (own: keyof PackLog) => (message: string, cause?: unknown) => {
    if (isLogged(own, level)) sink(own, message, cause instanceof Error ? stackLines(cause) : []);
  };
  return { error: writer("error"), warn: writer("warn"), info: writer("info"), debug: writer("debug") };
}

/** Whether a log of this level has messages of that level. */
export function isLogged(level: keyof PackLog, of: LogLevel): boolean {
  return logLevels.indexOf(level) <= logLevels.indexOf(of);
}
