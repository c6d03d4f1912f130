import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import {
  configIn,
  findConfig,
  otherConfigs,
  parseConfig,
  readConfigBytes,
  type ConfigFile,
} from "../config/config-file.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { storeFiles } from "../stores/store-address.ts";
import { settingsFolder, userFolders } from "../user-folders.ts";
import { configDigest } from "./config-digest.ts";
import { namedFiles } from "./named-files.ts";
import { canonicalPath, trustRecord } from "./trust-record.ts";
import { restrictConfig } from "./untrusted-config.ts";
import type { UsedFile } from "./used-file.ts";

export interface ConfigRequest {
  /** Path from a flag or the environment. */
  readonly named: string | undefined;
  /** Whether the file is trusted without a record. Default false. */
  readonly trust?: boolean;
  /** Base of relative paths, and start of the upward search. */
  readonly directory: string;
  /** False: the config file in the user's settings folder is not used when no other is found. */
  readonly userConfig?: false;
}

/**
 * Reads the config file in use. Of an untrusted file, only harmless settings are applied. The hashed bytes are the parsed bytes.
 *
 * A file is trusted when the user names it, when it is in the user's settings folder and only the user can write it, or when `toolpacks trust` recorded its current content.
 *
 * @throws ConfigurationError for a file that cannot be read or used
 */
export async function openConfig(request: ConfigRequest): Promise<UsedFile | undefined> {
  const { named, trust = false, directory, userConfig } = request;
  const isNamed = named !== undefined && named !== "";
  const nearest = isNamed ? path.resolve(directory, named) : findConfig(directory);
  const found = nearest ?? (userConfig === false ? undefined : configIn(settingsFolder()));
  if (found === undefined) return undefined;
  const isTrusted = isNamed || trust || isUserSettings(found);
  const bytes = readConfigBytes(found, isTrusted ? "named" : "found");
  const file = await parseConfig(found, bytes);
  const unused = isNamed ? [] : otherConfigs(found);
  const isUserConfig = nearest === undefined;
  const used = { ...file, isNamed, isUserConfig, isTrustedByFlag: trust, ignored: [], hasChanged: false, unused };
  if (isTrusted) return used;
  const recorded = trustRecord(canonicalPath(found));
  const digest = digestOrUndefined(file, bytes);
  if (recorded !== undefined && recorded.digest === digest) return { ...used, trustedDigest: digest };
  return { ...used, ...(await restrictConfig(file.config)), hasChanged: recorded !== undefined };
}

/**
 * Requires that a trusted config file, and the files that it runs or reads, have not changed since the config file was opened.
 *
 * @throws ToolError `unavailable` for a change
 */
export function requireUnchanged(file: UsedFile): void {
  if (file.trustedDigest === undefined) return;
  if (digestOrUndefined(file, readConfigBytes(file.path, "found")) === file.trustedDigest) return;
  throw new ToolError(
    "unavailable",
    `${file.path}, or a file that it runs, has changed since it was trusted`,
    'The user can look at the change and trust it, on a terminal, with "toolpacks trust". A model cannot.',
  );
}

/**
 * Absolute paths that no tool may write: the config file and its link target, the files that it runs or reads, the
 * store's files, the token file, and the user's folders for settings, data and caches.
 */
export function protectedPaths(file: UsedFile | undefined, { store, tokens }: ServerFiles): readonly string[] {
  const files = file === undefined ? [] : [file.path, canonicalPath(file.path), realPath(file.path)];
  const named = file === undefined ? [] : namedFiles(file.config, [file.directory, process.cwd()]);
  const paths = named.flatMap(({ path: one }) => (one !== undefined && path.isAbsolute(one) ? [one] : []));
  const tokenFiles = tokens === undefined ? [] : [tokens, realPath(tokens)];
  return [...new Set([...files, ...paths, ...storeFiles(store), ...tokenFiles, ...userFolders()])];
}

interface ServerFiles {
  /** Address of the store. */
  readonly store: string;
  /** Path of the token file. */
  readonly tokens: string | undefined;
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Whether a config file is in the user's settings folder, and nobody else can write the file or the folder. */
function isUserSettings(file: string): boolean {
  try {
    const folder = realpathSync(settingsFolder());
    return path.dirname(canonicalPath(file)) === folder && isOnlyUsers(file) && isOnlyUsers(folder);
  } catch {
    return false;
  }
}

/** Whether a file or folder belongs to the user, and others cannot write it. Windows has access rights that the mode does not show. */
function isOnlyUsers(file: string): boolean {
  const { uid, mode } = statSync(file);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

/** The digest of a config file; undefined when a file in it cannot be hashed, so that it is not trusted. */
function digestOrUndefined(file: ConfigFile, bytes: Buffer): string | undefined {
  try {
    return configDigest(file, bytes);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}
