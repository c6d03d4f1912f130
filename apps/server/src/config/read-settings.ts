import type { Io } from "@toolpacks/terminal";
import { createLog, logTo, type LogSink } from "../log.ts";
import { resolveSettings } from "./resolve-settings.ts";
import type { Flags, Settings } from "./settings.ts";

/** Resolves the settings of a command, and logs their warnings. */
export async function readSettings(io: Io, flags: Flags, sink: LogSink = logTo(io)): Promise<Settings> {
  const settings = await resolveSettings(flags, io.env, io.cwd);
  const log = createLog(settings.logLevel.value, sink);
  for (const warning of settings.warnings) log.warn(warning);
  return settings;
}
