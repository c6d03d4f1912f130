import { existsSync } from "node:fs";
import path from "node:path";
import { checkPlainValue, PlainValueError, readRegularFile } from "@toolpacks/core/bounded-io";
import { ConfigurationError } from "../configuration-error.ts";
import type { Config } from "./config-schema.ts";

/** A config file as read: what it says, and where relative paths in it begin. */
export interface ConfigFile {
  readonly path: string;
  readonly directory: string;
  readonly config: Config;
}

export const configNames = ["jsonc", "json", "yaml", "toml"].map((extension) => `toolpacks.config.${extension}`);

/** The config file nearest to a directory, looking upward; undefined when there is none. */
export function findConfig(from: string): string | undefined {
  for (let directory = path.resolve(from); ; directory = path.dirname(directory)) {
    const found = configNames.map((name) => path.join(directory, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (path.dirname(directory) === directory) return undefined;
  }
}

/** The config files of a directory beside the one that is used, which is the first by `configNames`. */
export function otherConfigs(file: string): readonly string[] {
  const directory = path.dirname(file);
  return configNames.filter((name) => name !== path.basename(file) && existsSync(path.join(directory, name)));
}

/** Reads and checks a config file. The error names the file, the key, and what would be accepted. */
export async function readConfig(file: string): Promise<ConfigFile> {
  return parseConfig(file, readConfigBytes(file, "named"));
}

/** Checks a config file that was read by `readConfigBytes`. */
export async function parseConfig(file: string, bytes: Buffer): Promise<ConfigFile> {
  const raw = (await parseOrRefuse(file, bytes.toString("utf8").replace(/^\uFEFF/, ""))) ?? {};
  if (typeof raw !== "object" || Array.isArray(raw)) throw new ConfigurationError(`${file}: expected keys with values`);
  checkValue(file, raw);
  const [{ configSchema }, { describeIssues }] = await Promise.all([
    import("./config-schema.ts"),
    import("@toolpacks/core"),
  ]);
  // Compiling a schema that is used once costs a start more than it saves.
  const parsed = configSchema.safeParse(raw, { jitless: true });
  if (parsed.success) return { path: file, directory: path.dirname(file), config: parsed.data };
  throw new ConfigurationError(`${file}: ${describeIssues(parsed.error.issues, configSchema)}`);
}

/** @throws ConfigurationError for a value that could hide something, or that takes long to work on */
function checkValue(file: string, raw: object): void {
  try {
    checkPlainValue(raw);
    checkEntries(raw);
  } catch (error) {
    throw error instanceof PlainValueError ? new ConfigurationError(`${file}: ${error.message}`) : error;
  }
}

const maxEntries = { mcpServers: 200, packs: 200, workflows: 1000 };

function checkEntries(raw: object): void {
  for (const [key, max] of Object.entries(maxEntries)) {
    const value: unknown = Object.getOwnPropertyDescriptor(raw, key)?.value;
    const count = Object.keys(value ?? {}).length;
    if (count > max) throw new PlainValueError(`${key}: expected at most ${max} entries, received ${count}`);
  }
}

/** Maximum sizes in bytes of a file that the user named, and of one that was found. */
const maxBytes = { named: 4 * 1_048_576, found: 262_144 };

/**
 * Reads a config file that the user named, or one that was found and that costs little whatever it says.
 *
 * @throws ConfigurationError for a file that is missing, too large, or not a regular file
 */
export function readConfigBytes(file: string, origin: keyof typeof maxBytes): Buffer {
  try {
    return readRegularFile(file, maxBytes[origin]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = origin === "found" && reason.startsWith("larger than") ? "; name the file with --config" : "";
    throw new ConfigurationError(`${file}: cannot be read (${reason}${hint})`);
  }
}

/** The parsers call themselves for what is nested. */
async function parseOrRefuse(file: string, text: string): Promise<unknown> {
  try {
    return await parse(file, text);
  } catch (error) {
    throw error instanceof RangeError ? new ConfigurationError(`${file}: nested too deeply`) : error;
  }
}

/** Each format's parser is loaded for a file of that format only. */
async function parse(file: string, text: string): Promise<unknown> {
  const extension = path.extname(file);
  switch (extension) {
    case ".jsonc":
    case ".json":
      return (await import("./parse-jsonc.ts")).parseJsonc(file, text);
    case ".yaml":
    case ".yml":
      return (await import("./parse-yaml.ts")).parseYaml(file, text);
    case ".toml":
      return (await import("./parse-toml.ts")).parseToml(file, text);
    default:
      throw new ConfigurationError(`${file}: expected a .jsonc, .json, .yaml or .toml file`);
  }
}
