import type { ConfigDefinition, SettingsIo } from "./config-definition.ts";
import { configWarnings } from "./config-warnings.ts";
import { ConfigurationError } from "@toolpacks/core";
import { openConfig, type ConfigFlags } from "./open-config.ts";
import type { UsedFile } from "./used-file.ts";

/** The source of a setting's value, in order of precedence. */
export type Source = "flag" | "environment" | "file" | "default";

export interface Setting<Value> {
  readonly value: Value;
  readonly source: Source;
  /** The place that sets the value, for messages: `--expose`, `$TOOLPACKS_EXPOSE`, a file and its key. */
  readonly origin: string;
}

/**
 * How a setting is read. `expose` is the flag `--expose` and the variable `$<NAME>_EXPOSE`, `readOnly` is `--read-only`. The schema
 * checks the file alone: `variable` and `problem` check the other sources.
 */
export interface SettingSource<Value, Fallback> {
  /** Key of the flag, if it is not the setting's. Not `config`, `userConfig` or `trust`, which choose the file. */
  readonly flag?: string;
  /** Reads the environment variable. Undefined: no variable sets it. @throws Error that says what is expected */
  readonly variable?: (text: string) => Value;
  /** Resolves relative paths in a value, in the current folder or the folder of the config file. */
  readonly resolve?: (value: Value, base: string) => Value;
  /** Why a value cannot be used. Undefined: it can. */
  readonly problem?: (value: Value) => string | undefined;
  /** The value when nothing sets it. */
  readonly fallback: Fallback;
}

/** How each setting of a config file is read. Settings without an entry are read by the program. */
export type SettingSources<Config extends object> = {
  readonly [Key in keyof Config]?: SettingSource<Readonly<NonNullable<Config[Key]>>, unknown>;
};

/** The resolved settings of a table of sources. */
export type Resolved<Config extends object, Sources extends SettingSources<Config>> = {
  readonly [Key in keyof Sources & keyof Config]: Setting<
    Readonly<NonNullable<Config[Key]>> | (Sources[Key] extends { readonly fallback: infer Fallback } ? Fallback : never)
  >;
};

/** The config file in use, the settings, and warnings about both. */
export interface LoadedSettings<Config extends object, Sources extends SettingSources<Config>> {
  readonly file: UsedFile<Config> | undefined;
  readonly settings: Resolved<Config, Sources>;
  readonly warnings: readonly string[];
}

/** The parsed flags: those of the settings, and those that choose the config file. Undefined: not given. */
export type Flags<Sources> = ConfigFlags & {
  readonly [
    Key in keyof Sources as Sources[Key] extends { readonly flag: infer Flag extends string } ? Flag : Key
  ]?: unknown;
};

/**
 * Resolves every setting, in this order: flag, environment, file, default. An empty variable is unset.
 *
 * @throws ConfigurationError naming the place and the accepted values
 */
export async function loadSettings<Config extends object, const Sources extends SettingSources<Config>>(
  definition: ConfigDefinition<Config> & { readonly sources: Sources },
  flags: Flags<NoInfer<Sources>>,
  io: SettingsIo,
): Promise<LoadedSettings<Config, Sources>> {
  const { name, sources } = definition;
  const file = await openConfig(definition, flags, io);
  const context = { name, file, flags, io };
  const entries = Object.entries(sources as Readonly<Record<string, SettingSource<unknown, unknown>>>);
  const settings = Object.fromEntries(entries.map(([key, source]) => [key, resolveSetting(key, source, context)]));
  return { file, settings: settings as Resolved<Config, Sources>, warnings: configWarnings(name, file) };
}

interface Context {
  readonly name: string;
  readonly file: UsedFile<object> | undefined;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly io: SettingsIo;
}

function resolveSetting(key: string, source: SettingSource<unknown, unknown>, context: Context): Setting<unknown> {
  const found = findValue(key, source, context);
  if (found === undefined) return { value: source.fallback, source: "default", origin: "default" };
  const { base, ...setting } = found;
  const value = source.resolve === undefined ? setting.value : source.resolve(setting.value, base);
  const problem = source.problem?.(value);
  if (problem !== undefined) throw new ConfigurationError(`${setting.origin}: ${problem}`);
  return { ...setting, value };
}

/** Finds the value with the highest precedence, and the base of its relative paths. */
function findValue(
  key: string,
  { flag = key, variable }: SettingSource<unknown, unknown>,
  { name, file, flags, io }: Context,
): (Setting<unknown> & { readonly base: string }) | undefined {
  if (["config", "userConfig", "trust"].includes(flag)) throw new Error(`sources: ${flag} chooses the config file`);
  if (flags[flag] !== undefined) {
    return { value: flags[flag], source: "flag", origin: `--${words(flag, "-").toLowerCase()}`, base: io.cwd };
  }
  const variableName = `${name}_${words(key, "_")}`.toUpperCase();
  const text = io.env[variableName];
  if (variable !== undefined && text !== undefined && text !== "") {
    const origin = `$${variableName}`;
    return { value: readVariable(origin, text, variable), source: "environment", origin, base: io.cwd };
  }
  const value = (file?.config as Readonly<Record<string, unknown>> | undefined)?.[key];
  if (file === undefined || value === undefined) return undefined;
  return { value, source: "file", origin: `${file.path}: ${key}`, base: file.directory };
}

function readVariable(origin: string, text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text);
  } catch (error) {
    throw new ConfigurationError(`${origin}: ${(error as Error).message}`);
  }
}

/** Splits `logLevel` into `log` and `Level`, joined by a separator. */
function words(key: string, separator: string): string {
  return key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, separator);
}

/** Reads a variable with one of some values. */
export function oneOf<Name extends string>(known: readonly Name[]): (text: string) => Name {
  return (text) => {
    const found = known.find((one) => one === text);
    if (found !== undefined) return found;
    throw new Error(`expected ${known.join(", ")}, received ${text}`);
  };
}

/** Splits `a, b` into names. */
export function splitNames(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}
