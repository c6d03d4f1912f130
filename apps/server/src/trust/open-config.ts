import { realpathSync } from "node:fs";
import path from "node:path";
import { findConfig, otherConfigs, parseConfig, readConfigBytes, type ConfigFile } from "../config/config-file.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { settingsFolder, userFolders } from "../user-folders.ts";
import { configDigest } from "./config-digest.ts";
import { namedFiles } from "./named-files.ts";
import { canonicalPath, trustRecord } from "./trust-record.ts";
import { restrictConfig } from "./untrusted-config.ts";
import type { UsedFile } from "./used-file.ts";

export interface ConfigRequest {
  /** A path that a flag or the environment names. */
  readonly named: string | undefined;
  /** Trusts the file whatever it says. */
  readonly trust: boolean;
  /** Where relative paths begin, and the search upward. */
  readonly directory: string;
}

/**
 * Reads the config file in use, of which an untrusted one says only what can harm nobody. The bytes that are hashed are those that are parsed.
 *
 * A file is trusted that is named, that lies in the user's settings folder, or that `toolpacks trust` has recorded with its present content.
 *
 * @throws ConfigurationError for a file that cannot be read or used
 */
export async function openConfig({ named, trust, directory }: ConfigRequest): Promise<UsedFile | undefined> {
  const isNamed = named !== undefined && named !== "";
  const found = isNamed ? path.resolve(directory, named) : findConfig(directory);
  if (found === undefined) return undefined;
  const isUsers = isNamed || trust || isUserSettings(found);
  const bytes = readConfigBytes(found, isUsers ? "named" : "found");
  const file = await parseConfig(found, bytes);
  const unused = isNamed ? [] : otherConfigs(found);
  const used = { ...file, isNamed, isTrustedByFlag: trust, ignored: [], hasChanged: false, unused };
  if (isUsers) return used;
  const recorded = trustRecord(canonicalPath(found));
  if (recorded !== undefined && recorded.digest === digestOrUndefined(file, bytes)) return used;
  return { ...used, ...(await restrictConfig(file.config)), hasChanged: recorded !== undefined };
}

/** What SQLite names the files of a store beside it. A forged journal is applied to the store at its next start. */
const sideFiles = ["-journal", "-wal", "-shm"];

/**
 * Absolute paths that no tool may write: the config file in use, also behind a link, the files that it runs or reads, the store with SQLite's files
 * beside it, and the user's folders for settings, data and caches.
 *
 * @param store the store's address
 */
export function protectedPaths(file: UsedFile | undefined, store: string): readonly string[] {
  const files = file === undefined ? [] : [file.path, canonicalPath(file.path), realPath(file.path)];
  const stores = path.isAbsolute(store) ? [store, realPath(store)] : [];
  const records = stores.flatMap((one) => ["", ...sideFiles].map((suffix) => `${one}${suffix}`));
  const named = file === undefined ? [] : namedFiles(file.config, [file.directory, process.cwd()]);
  const paths = named.flatMap(({ path: one }) => (one !== undefined && path.isAbsolute(one) ? [one] : []));
  return [...new Set([...files, ...paths, ...records, ...userFolders()])];
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function isUserSettings(file: string): boolean {
  try {
    return path.dirname(canonicalPath(file)) === realpathSync(settingsFolder());
  } catch {
    return false;
  }
}

/** A file that names something which cannot be hashed is not trusted. */
function digestOrUndefined(file: ConfigFile, bytes: Buffer): string | undefined {
  try {
    return configDigest(file, bytes);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}
