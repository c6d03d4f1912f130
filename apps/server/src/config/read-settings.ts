import { createLog } from "../log.ts";
import type { Flags, Settings } from "./settings.ts";
import { resolveSettings } from "./resolve-settings.ts";

/** Resolves the settings of a command, and prints their warnings on stderr. */
export async function readSettings(flags: Flags): Promise<Settings> {
  const settings = await resolveSettings(flags, process.env, process.cwd());
  const log = createLog(settings.logLevel.value);
  for (const warning of settings.warnings) log.warn(warning);
  return settings;
}
