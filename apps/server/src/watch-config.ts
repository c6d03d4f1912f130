import { watch } from "node:fs";
import path from "node:path";
import { configNames } from "./config/config-file.ts";
import type { Flags } from "./config/settings.ts";
import { prepare, type Prepared } from "./prepare.ts";

/** Editors write a file in several steps; one change is what happens within this time. */
const settleMs = 100;

/** Prepares anew whenever the config file changes, appears or goes. A broken one is reported, and the last good one stays. */
export function watchConfig(flags: Flags, { settings, log }: Prepared, apply: (next: Prepared) => Promise<void>): void {
  const directory = settings.file?.directory ?? process.cwd();
  const names = settings.file === undefined ? configNames : [path.basename(settings.file.path)];
  let timer: NodeJS.Timeout | undefined;
  const reload = async () => {
    try {
      await apply(await prepare(flags));
    } catch (error) {
      log.error(`the change is not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const watcher = watch(directory, (_, name) => {
    if (name !== null && !names.includes(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void reload(), settleMs);
  });
  watcher.on("error", (error) => log.warn(`the config file is no longer watched: ${error.message}`));
}
