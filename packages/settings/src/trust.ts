import { printableText, userFolders } from "@toolpacks/terminal";
import type { ConfigDefinition, ConfigFile, SettingsIo } from "./config-definition.ts";
import { findConfig, parseConfig, readConfigBytes } from "./config-file.ts";
import { ConfigurationError } from "@toolpacks/core";
import { configDigest } from "./open-config.ts";
import { canonicalPath, TrustRecords } from "./trust-records.ts";
import { restrictConfig, type IgnoredSetting } from "./untrusted-rules.ts";

/** A config file that may be trusted. */
export interface TrustDecision<Config extends object> {
  readonly file: ConfigFile<Config>;
  /** What the file sets that only a trusted file may. */
  readonly ignored: readonly IgnoredSetting[];
  /** Whether its content is trusted already. */
  readonly isTrusted: boolean;
  /** Records its content as trusted, as it was read. */
  readonly trust: () => void;
}

/** Reads the config file that a program started in `io.cwd` would use. @throws ConfigurationError when there is none, or it is invalid */
export async function inspectTrust<Config extends object>(
  definition: ConfigDefinition<Config>,
  io: SettingsIo,
): Promise<TrustDecision<Config>> {
  const found = configOf(definition, io);
  const bytes = readConfigBytes(found, "found");
  const file = await parseConfig(definition, found, bytes);
  const { ignored } = await restrictConfig(file.config, definition.rules);
  const records = recordsOf(definition, io);
  const record = { file: canonicalPath(found), digest: configDigest(definition, file, bytes) };
  const isTrusted = records.get(record.file)?.digest === record.digest;
  return { file, ignored, isTrusted, trust: () => records.set(record) };
}

/** The recorded config files, and whether each is as it was when it was trusted. */
export async function listTrusted<Config extends object>(
  definition: ConfigDefinition<Config>,
  io: SettingsIo,
): Promise<readonly { readonly file: string; readonly state: "trusted" | "changed" | "unreadable" }[]> {
  const records = recordsOf(definition, io).all();
  return Promise.all(
    records.map(async ({ file, digest }) => {
      try {
        const bytes = readConfigBytes(file, "found");
        const isSame = configDigest(definition, await parseConfig(definition, file, bytes), bytes) === digest;
        return { file, state: isSame ? ("trusted" as const) : ("changed" as const) };
      } catch (error) {
        if (error instanceof ConfigurationError) return { file, state: "unreadable" as const };
        throw error;
      }
    }),
  );
}

/** Removes the record of the config file of `io.cwd`, or of a file or folder with a record. Resolves to its path, and whether there was a record. */
export function revokeTrust<Config extends object>(definition: ConfigDefinition<Config>, io: SettingsIo) {
  const records = recordsOf(definition, io);
  const file = records.get(io.cwd) === undefined ? canonicalPath(configOf(definition, io)) : io.cwd;
  return { file, wasTrusted: records.delete(file) };
}

function recordsOf({ name }: { readonly name: string }, { env }: SettingsIo): TrustRecords {
  return new TrustRecords(userFolders(name, env).config);
}

function configOf({ name }: { readonly name: string }, { cwd }: SettingsIo): string {
  const found = findConfig(name, cwd);
  if (found !== undefined) return found;
  throw new ConfigurationError(`no config file was found in ${printableText(cwd)} or above it`);
}
