import { watch } from "node:fs";
import path from "node:path";
import { errorText } from "@toolpacks/core";
import { configNames } from "@toolpacks/settings";
import type { Settings } from "./config/settings.ts";
import type { Runtime } from "./mount/runtime.ts";

/** Debounce time of file changes, in ms. Editors write a file in several steps. */
const debounceMs = 100;

/**
 * Applies the config file again when it is changed, created or removed. An invalid file is reported, and the last valid settings stay. Returns a function
 * that stops it.
 */
export function watchConfig({ settings, log }: Runtime, apply: () => Promise<void>): () => void {
  const names = new Set([
    ...configNames("toolpacks"),
    ...(settings.file === undefined ? [] : [path.basename(settings.file.path)]),
  ]);
  let timer: NodeJS.Timeout | undefined;
  const reload = async () => {
    try {
      await apply();
    } catch (error) {
      log.error(`the change is not applied: ${errorText(error)}`);
    }
  };
  // Changes are applied in sequence, so that the latest one wins.
  let reloads = Promise.resolve();
  const watchers = watchedDirectories(settings).map((directory) => {
    const watcher = watch(directory, (_, name) => {
      if (name !== null && !names.has(name)) return;
      clearTimeout(timer);
      timer = setTimeout(() => (reloads = reloads.then(reload)), debounceMs);
    });
    watcher.on("error", (error) => log.warn(`${directory} is no longer watched: ${error.message}`));
    return watcher;
  });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** The config file's directory, and the directories between it and the current one, where a nearer config file may be created. */
function watchedDirectories({ file, io: { cwd: current } }: Settings): readonly string[] {
  if (file === undefined) return [current];
  const relative = path.relative(file.directory, current);
  if (relative === "" || relative.startsWith("..") || path.isAbsolute(relative)) return [file.directory];
  const steps = relative.split(path.sep);
  return [file.directory, ...steps.map((_, at) => path.join(file.directory, ...steps.slice(0, at + 1)))];
}
