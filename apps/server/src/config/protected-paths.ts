import { isObject } from "@toolpacks/core";
import { canonicalPath, packModule } from "@toolpacks/settings";
import { resolvePath } from "@toolpacks/upstream/config";
import type { Settings } from "./settings.ts";
import { isBundled } from "./bundled-names.ts";
import { storeFiles } from "../stores/store-address.ts";
import { realPath } from "@toolpacks/files";

interface ServerFiles {
  /** Address of the store. */
  readonly store: string;
  /** Path of the token file. */
  readonly tokens: string | undefined;
  readonly folders: Settings["folders"];
}

/**
 * Absolute paths that no tool may write: the config file and its link target, the packs and `envFile`s that it names, the store's files, the token file,
 * and the user's folders for settings, data and caches.
 */
export function protectedPaths(file: Settings["file"], { store, tokens, folders }: ServerFiles): readonly string[] {
  const files =
    file === undefined ? [] : [file.path, canonicalPath(file.path), realPath(file.path), ...namedFiles(file)];
  const tokenFiles = tokens === undefined ? [] : [tokens, realPath(tokens)];
  return [...new Set([...files, ...storeFiles(store), ...tokenFiles, ...Object.values<string>({ ...folders })])];
}

function namedFiles({ config, directory }: NonNullable<Settings["file"]>): readonly string[] {
  const modules = Object.keys(config.packs ?? {}).flatMap((name) => (isBundled(name) ? [] : moduleOf(name, directory)));
  const envFiles = Object.values(config.mcpServers ?? {}).flatMap((block) =>
    isObject(block) && typeof block["envFile"] === "string" ? [resolvePath(directory, block["envFile"])] : [],
  );
  return [...modules, ...envFiles];
}

/** The module of a pack; none for a package that is not installed. */
function moduleOf(name: string, directory: string): readonly string[] {
  try {
    return [packModule(name, directory)];
  } catch {
    return [];
  }
}
