import type { Io } from "@toolpacks/terminal";
import { createLog, logTo, type LogSink } from "../log.ts";
import { resolveSettings } from "./resolve-settings.ts";
import { currentProject, type Flags, type Settings } from "./settings.ts";

/** Resolves the settings of a command, and logs their warnings. On a terminal, the log names a project that is not the current folder. */
export async function readSettings(io: Io, flags: Flags, sink: LogSink = logTo(io)): Promise<Settings> {
  const settings = await resolveSettings(flags, io.env, io.cwd);
  const log = createLog(settings.logLevel.value, sink);
  for (const warning of settings.warnings) log.warn(warning);
  const [project = io.cwd] = settings.roots.origin === currentProject ? settings.roots.value : [];
  if (project !== io.cwd && io.stderr.isTTY === true) log.info(`the project is ${project}`);
  return settings;
}
