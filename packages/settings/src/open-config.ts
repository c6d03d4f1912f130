import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { userFolders } from "@toolpacks/terminal";
import type { ConfigDefinition, ConfigFile, SettingsIo } from "./config-definition.ts";
import { configIn, configNames, findConfig, parseConfig, readConfigBytes } from "./config-file.ts";
import { canonicalPath, TrustRecords } from "./trust-records.ts";
import { restrictConfig } from "./untrusted-rules.ts";
import type { UsedFile } from "./used-file.ts";

/** Flags that choose the config file. */
export interface ConfigFlags {
  /** Path of the config file. Default: `$<NAME>_CONFIG`, else the nearest file upward, else the one in the user's settings folder. */
  readonly config?: string | undefined;
  /** False: the config file in the user's settings folder is not used when no other is found. */
  readonly userConfig?: boolean | undefined;
  /** Whether the file is trusted without a record. Default false. */
  readonly trust?: boolean | undefined;
}

/**
 * Reads the config file in use. Of an untrusted file, only harmless settings are applied. The hashed bytes are the parsed bytes.
 *
 * A file is trusted when the user names it, when it is in the user's settings folder and only the user can write it, or when its current content is
 * recorded as trusted.
 *
 * @throws ConfigurationError for a file that cannot be read or used
 */
export async function openConfig<Config extends object>(
  definition: ConfigDefinition<Config>,
  { config: flag, userConfig = true, trust = false }: ConfigFlags,
  { cwd, env }: SettingsIo,
): Promise<UsedFile<Config> | undefined> {
  const { name, rules } = definition;
  const named = flag ?? env[`${name.toUpperCase()}_CONFIG`];
  const isNamed = named !== undefined && named !== "";
  const settings = userFolders(name, env).config;
  const nearest = isNamed ? path.resolve(cwd, named) : findConfig(name, cwd);
  const found = nearest ?? (userConfig ? configIn(name, settings) : undefined);
  if (found === undefined) return undefined;
  const isTrusted = isNamed || trust || isUserSettings(found, settings);
  const bytes = readConfigBytes(found, isTrusted ? "named" : "found");
  const file = await parseConfig(definition, found, bytes);
  const used = {
    ...file,
    isNamed,
    isUserConfig: nearest === undefined,
    isTrustedByFlag: trust,
    ignored: [],
    hasChanged: false,
    unused: isNamed ? [] : configNames(name).filter((one) => one !== path.basename(found) && isThere(found, one)),
  };
  if (isTrusted) return used;
  const recorded = new TrustRecords(settings).get(canonicalPath(found));
  if (recorded?.digest === configDigest(definition, file, bytes)) return used;
  return { ...used, ...(await restrictConfig(file.config, rules)), hasChanged: recorded !== undefined };
}

function isThere(file: string, name: string): boolean {
  return statSync(path.join(path.dirname(file), name), { throwIfNoEntry: false }) !== undefined;
}

/** SHA-256 of the content of a config file, and of the other facts that the user agrees to. */
export function configDigest<Config extends object>(
  { agreedFacts }: ConfigDefinition<Config>,
  file: ConfigFile<Config>,
  bytes: Buffer,
): string {
  const facts = JSON.stringify(agreedFacts?.(file) ?? []);
  return createHash("sha256").update(`${facts}\n`).update(bytes).digest("hex");
}

/** Whether a config file is in the user's settings folder, and nobody else can write the file or the folder. */
function isUserSettings(file: string, settings: string): boolean {
  try {
    const folder = realpathSync(settings);
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
