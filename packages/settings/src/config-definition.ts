import type { z } from "zod";
import type { UntrustedRules } from "./untrusted-rules.ts";

/** A config file of a program. */
export interface ConfigDefinition<Config extends object> {
  /** Name of the program. Its files are `<name>.config.jsonc`, `.json`, `.yaml` and `.toml`, its variables begin with `<NAME>_`. */
  readonly name: string;
  /** Loads the schema for the value of a file. A program without a config file does not load it. */
  readonly schema: (value: object) => Promise<z.ZodType<Config> & z.core.$ZodType>;
  /** Maximum number of entries of keys with many. */
  readonly maxEntries?: Readonly<Record<string, number>>;
  /** What an untrusted file may set. */
  readonly rules: UntrustedRules<Config>;
  /** What the user agrees to besides the text of a file, such as the targets of its links. A change of it asks again. */
  readonly agreedFacts?: (file: ConfigFile<Config>) => unknown;
}

/** A config file that was read and validated. `directory` is the base of its relative paths. */
export interface ConfigFile<Config extends object> {
  readonly path: string;
  readonly directory: string;
  readonly config: Config;
}

/** The environment in which settings are read. */
export interface SettingsIo {
  /** Base of relative paths, and start of the upward search. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
