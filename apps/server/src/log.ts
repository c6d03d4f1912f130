import { stackLines } from "@toolpacks/core/terminal";
import { printError } from "./print.ts";

export const logLevels = ["silent", "error", "warn", "info", "debug"] as const;

export type LogLevel = (typeof logLevels)[number];

/** A log on stderr. stdout carries the protocol. */
export interface Log {
  error(message: string, cause?: unknown): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

export function createLog(level: LogLevel): Log {
  const maxLevel = logLevels.indexOf(level);
  const writer = (own: LogLevel) => (message: string, cause?: unknown) => {
    if (logLevels.indexOf(own) > maxLevel) return;
    printError(`toolpacks: ${message}`, ...(cause instanceof Error ? stackLines(cause) : []));
  };
  return { error: writer("error"), warn: writer("warn"), info: writer("info"), debug: writer("debug") };
}
