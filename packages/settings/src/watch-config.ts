import { watch } from "node:fs";
import path from "node:path";
import { errorText, type PackLog } from "@toolpacks/core";
import { configNames } from "./config-file.ts";

/** Debounce time of file changes, in ms. Editors write a file in several steps. */
const debounceMs = 100;

interface WatchedConfig {
  /** Name of the program. */
  readonly name: string;
  /** The config file in use. */
  readonly file: { readonly path: string; readonly directory: string } | undefined;
  /** The folder in which the program was started. */
  readonly cwd: string;
  readonly log: PackLog;
}

/**
 * Applies the config file again when it is changed, created or removed. An invalid file is reported, and the last valid settings stay. Returns a function
 * that stops it.
 */
export function watchConfig(watched: WatchedConfig, apply: () => Promise<void>): () => void {
  const { name: program, file, log } = watched;
  const names = new Set([...configNames(program), ...(file === undefined ? [] : [path.basename(file.path)])]);
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
  const watchers = watchedDirectories(watched).map((directory) => {
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
function watchedDirectories({ file, cwd: current }: WatchedConfig): readonly string[] {
  if (file === undefined) return [current];
  const relative = path.relative(file.directory, current);
  if (relative === "" || relative.startsWith("..") || path.isAbsolute(relative)) return [file.directory];
  const steps = relative.split(path.sep);
  return [file.directory, ...steps.map((_, at) => path.join(file.directory, ...steps.slice(0, at + 1)))];
}
