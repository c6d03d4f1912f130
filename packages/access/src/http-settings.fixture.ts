import type { AccessSettings } from "./access-settings.ts";
import type { PackLog } from "@toolpacks/core";

/** Settings of an HTTP host as resolved without flags and file. */
export function httpSettings(settings: Partial<AccessSettings> = {}): AccessSettings {
  return {
    host: "127.0.0.1",
    port: 3333,
    path: "/mcp",
    tokens: undefined,
    ...settings,
  };
}

/** A log that keeps its lines, with their levels. */
export function keptLog(): PackLog & { readonly lines: readonly string[] } {
  const lines: string[] = [];
  const writer = (level: string) => (message: string, cause?: unknown) =>
    void lines.push(`${level} ${message}${cause instanceof Error ? `\n${cause.stack}` : ""}`);
  return { lines, error: writer("error"), warn: writer("warn"), info: writer("info"), debug: writer("debug") };
}
