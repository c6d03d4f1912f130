import { existsSync } from "node:fs";
import path from "node:path";
import { checkPlainValue, PlainValueError } from "@toolpacks/bounded-io";
import { errorText, isObject, ConfigurationError } from "@toolpacks/core";
import { readRegularFile } from "@toolpacks/files";
import type { ConfigDefinition, ConfigFile } from "./config-definition.ts";

/** The names of a program's config files, in order of preference. */
export function configNames(name: string): readonly string[] {
  return ["jsonc", "json", "yaml", "toml"].map((extension) => `${name}.config.${extension}`);
}

/** The config file of a program in a directory; undefined when there is none. */
export function configIn(name: string, directory: string): string | undefined {
  return configNames(name)
    .map((one) => path.join(directory, one))
    .find((file) => existsSync(file));
}

/** Finds the nearest config file of a program, from a directory upward; undefined when there is none. */
export function findConfig(name: string, from: string): string | undefined {
  for (let directory = path.resolve(from); ; directory = path.dirname(directory)) {
    const found = configIn(name, directory);
    if (found !== undefined) return found;
    if (path.dirname(directory) === directory) return undefined;
  }
}

/** Reads and validates a config file. The error has a problem for each mistake, with the line, the key and the accepted values. */
export async function readConfig<Config extends object>(
  definition: Pick<ConfigDefinition<Config>, "schema" | "maxEntries">,
  file: string,
): Promise<ConfigFile<Config>> {
  return parseConfig(definition, file, readConfigBytes(file, "named"));
}

/** Parses and validates the content of a config file that was read by `readConfigBytes`. */
export async function parseConfig<Config extends object>(
  definition: Pick<ConfigDefinition<Config>, "schema" | "maxEntries">,
  file: string,
  bytes: Buffer,
): Promise<ConfigFile<Config>> {
  const text = configText(bytes);
  const value =
    (await parse(file, text).catch((error: unknown) => {
      // The parsers are recursive, so deep nesting overflows the stack.
      throw error instanceof RangeError ? new ConfigurationError(`${file}: nested too deeply`) : error;
    })) ?? {};
  if (!isObject(value)) throw new ConfigurationError(`${file}: expected keys with values`);
  checkValue(file, value, definition.maxEntries ?? {});
  const schema = await definition.schema(value);
  // The schema is used once, so compiling it would only slow down the start.
  const parsed = schema.safeParse(value, { jitless: true });
  if (parsed.success) return { path: file, directory: path.dirname(file), config: parsed.data };
  const { locateMistakes } = await import("./config-mistakes.ts");
  throw new ConfigurationError(...(await locateMistakes({ path: file, text, schema }, parsed.error.issues)));
}

/** The text of a config file, without a byte order mark. */
export function configText(bytes: Buffer): string {
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

/** @throws ConfigurationError for a value that could hide content, or that is too expensive to process */
function checkValue(file: string, value: object, maxEntries: Readonly<Record<string, number>>): void {
  try {
    checkPlainValue(value);
    for (const [key, max] of Object.entries(maxEntries)) {
      const entries: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
      const count = Object.keys(entries ?? {}).length;
      if (count > max) throw new PlainValueError(`${key}: expected at most ${max} entries, received ${count}`);
    }
  } catch (error) {
    throw error instanceof PlainValueError ? new ConfigurationError(`${file}: ${error.message}`) : error;
  }
}

/** Maximum size in bytes of a config file that the user names, and of one that is found. */
const maxBytes = { named: 4 * 1_048_576, found: 262_144 };

/**
 * Reads the content of a config file. A found file has a lower size limit than a named one.
 *
 * @throws ConfigurationError for a file that is missing, too large, or not a regular file
 */
export function readConfigBytes(file: string, origin: keyof typeof maxBytes): Buffer {
  try {
    return readRegularFile(file, maxBytes[origin]);
  } catch (error) {
    const reason = errorText(error);
    const hint = origin === "found" && reason.startsWith("larger than") ? "; name the file with --config" : "";
    throw new ConfigurationError(`${file}: cannot be read (${reason}${hint})`);
  }
}

/** Parses a config file by its extension. Only the parser of that format is loaded. */
async function parse(file: string, text: string): Promise<unknown> {
  switch (path.extname(file)) {
    case ".jsonc":
    case ".json":
      return (await import("./formats/parse-jsonc.ts")).parseJsonc(file, text);
    case ".yaml":
    case ".yml":
      return (await import("./formats/parse-yaml.ts")).parseYaml(file, text);
    case ".toml":
      return (await import("./formats/parse-toml.ts")).parseToml(file, text);
    default:
      throw new ConfigurationError(`${file}: expected a .jsonc, .json, .yaml or .toml file`);
  }
}
