import { stackLines } from "@toolpacks/terminal";
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

/** Writes one message of the log, with the lines of its cause. */
export type LogSink = (level: keyof Log, message: string, cause: readonly string[]) => void;

/** Writes a message as plain text on stderr. */
export const printLog: LogSink = (_, message, cause) => printError(`toolpacks: ${message}`, ...cause);

/** @param sink default: plain text on stderr */
export function createLog(level: LogLevel, sink: LogSink = printLog): Log {
  const writer = (own: keyof Log) => (message: string, cause?: unknown) => {
    if (isLogged(own, level)) sink(own, message, cause instanceof Error ? stackLines(cause) : []);
  };
  return { error: writer("error"), warn: writer("warn"), info: writer("info"), debug: writer("debug") };
}

/** Whether a log of this level has messages of that level. */
export function isLogged(level: keyof Log, of: LogLevel): boolean {
  return logLevels.indexOf(level) <= logLevels.indexOf(of);
}
