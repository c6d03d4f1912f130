import type { HttpSettings } from "../config/settings.ts";
import type { Log } from "../log.ts";

/** Settings of an HTTP host as resolved without flags and file. */
export function httpSettings(settings: Partial<HttpSettings> = {}): HttpSettings {
  return {
    host: "127.0.0.1",
    port: 3333,
    path: "/mcp",
    tokens: undefined,
    allowedHosts: [],
    maxBodyBytes: 1_048_576,
    maxStreams: 16,
    maxCalls: 32,
    ...settings,
  };
}

/** A log that keeps its lines, with their levels. */
export function keptLog(): Log & { readonly lines: readonly string[] } {
  const lines: string[] = [];
  const writer = (level: string) => (message: string, cause?: unknown) =>
    void lines.push(`${level} ${message}${cause instanceof Error ? `\n${cause.stack}` : ""}`);
  return { lines, error: writer("error"), warn: writer("warn"), info: writer("info"), debug: writer("debug") };
}
