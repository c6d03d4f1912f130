import { stackLines } from "@toolpacks/core/terminal";
import { printError } from "./print.ts";

export const logLevels = ["silent", "error", "warn", "info", "debug"] as const;

export type LogLevel = (typeof logLevels)[number];

/** Writes to stderr, which is the only place for words: stdout carries the protocol. */
export interface Log {
  error(message: string, cause?: unknown): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

export function createLog(level: LogLevel): Log {
  const most = logLevels.indexOf(level);
  const at = (one: LogLevel) => (message: string, cause?: unknown) => {
    if (logLevels.indexOf(one) > most) return;
    printError(`toolpacks: ${message}`, ...(cause instanceof Error ? stackLines(cause) : []));
  };
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}
