import { createLog, type LogSink } from "../log.ts";
import type { Flags, Settings } from "./settings.ts";
import { resolveSettings } from "./resolve-settings.ts";

/** Resolves the settings of a command, and logs their warnings. */
export async function readSettings(flags: Flags, sink?: LogSink): Promise<Settings> {
  const settings = await resolveSettings(flags, process.env, process.cwd());
  const log = createLog(settings.logLevel.value, sink);
  for (const warning of settings.warnings) log.warn(warning);
  return settings;
}
