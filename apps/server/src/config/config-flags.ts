import type { Settings } from "./settings.ts";

/** What a command needs so that it reads the config that is in use: nothing where it finds it by itself. */
export function configFlags(file: Settings["file"]): readonly string[] {
  if (file?.isNamed !== true) return [];
  return ["--config", /^[\w./\\:~@+,-]+$/.test(file.path) ? file.path : JSON.stringify(file.path)];
}
