import { watch } from "node:fs";
import path from "node:path";
import { configNames } from "./config/config-file.ts";
import type { Settings } from "./config/settings.ts";
import type { Runtime } from "./runtime.ts";

/** Editors write a file in several steps; one change is what happens within this time. */
const debounceMs = 100;

/** Applies the config anew whenever the config file changes, appears or goes. A broken one is reported, and the last good one stays. */
export function watchConfig({ settings, log }: Runtime, apply: () => Promise<void>): void {
  const names = new Set([...configNames, ...(settings.file === undefined ? [] : [path.basename(settings.file.path)])]);
  let timer: NodeJS.Timeout | undefined;
  const reload = async () => {
    try {
      await apply();
    } catch (error) {
      log.error(`the change is not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  // One after another: of two changes, the later one stays.
  let reloads = Promise.resolve();
  for (const directory of watchedDirectories(settings, process.cwd())) {
    const watcher = watch(directory, (_, name) => {
      if (name !== null && !names.has(name)) return;
      clearTimeout(timer);
      timer = setTimeout(() => (reloads = reloads.then(reload)), debounceMs);
    });
    watcher.on("error", (error) => log.warn(`${directory} is no longer watched: ${error.message}`));
  }
}

/** The config file's directory, and each below it on the way here, where a nearer one may appear. */
function watchedDirectories({ file }: Settings, here: string): readonly string[] {
  if (file === undefined) return [here];
  const way = path.relative(file.directory, here);
  if (way === "" || way.startsWith("..") || path.isAbsolute(way)) return [file.directory];
  const steps = way.split(path.sep);
  return [file.directory, ...steps.map((_, at) => path.join(file.directory, ...steps.slice(0, at + 1)))];
}
