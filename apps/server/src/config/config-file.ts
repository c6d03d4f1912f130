import { existsSync } from "node:fs";
import path from "node:path";
import { errorText, isObject } from "@toolpacks/core";
import { checkPlainValue, PlainValueError } from "@toolpacks/bounded-io";
import { readRegularFile } from "@toolpacks/files";
import { ConfigurationError } from "../configuration-error.ts";
import type { z } from "zod";
import type { Config } from "./config-schema.ts";

/** A config file that was read and validated. `directory` is the base of its relative paths. */
export interface ConfigFile {
  readonly path: string;
  readonly directory: string;
  readonly config: Config;
}

export const configNames = ["jsonc", "json", "yaml", "toml"].map((extension) => `toolpacks.config.${extension}`);

/** The config file in a directory; undefined when there is none. */
export function configIn(directory: string): string | undefined {
  return configNames.map((name) => path.join(directory, name)).find((file) => existsSync(file));
}

/** Finds the nearest config file, from a directory upward; undefined when there is none. */
export function findConfig(from: string): string | undefined {
  for (let directory = path.resolve(from); ; directory = path.dirname(directory)) {
    const found = configIn(directory);
    if (found !== undefined) return found;
    if (path.dirname(directory) === directory) return undefined;
  }
}

/** The unused config files in the directory of a config file. The first name in `configNames` is used. */
export function otherConfigs(file: string): readonly string[] {
  const directory = path.dirname(file);
  return configNames.filter((name) => name !== path.basename(file) && existsSync(path.join(directory, name)));
}

/** Reads and validates a config file. The error has a problem for each mistake, with the line, the key and the accepted values. */
export async function readConfig(file: string): Promise<ConfigFile> {
  return parseConfig(file, readConfigBytes(file, "named"));
}

/** Parses and validates the content of a config file that was read by `readConfigBytes`. */
export async function parseConfig(file: string, bytes: Buffer): Promise<ConfigFile> {
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const raw = (await parseOrRefuse(file, text)) ?? {};
  if (!isObject(raw)) throw new ConfigurationError(`${file}: expected keys with values`);
  checkValue(file, raw);
  const { configSchema } = await import("./config-schema.ts");
  // The schema is used once, so compiling it would only slow down the start.
  const parsed = configSchema.safeParse(raw, { jitless: true });
  const found = parsed.success ? await modelIssues(parsed.data) : parsed.error.issues;
  const issues = [...renamedIssues(raw), ...found];
  if (parsed.success && issues.length === 0) {
    return { path: file, directory: path.dirname(file), config: parsed.data };
  }
  const { describeMistakes } = await import("./config-mistakes.ts");
  throw new ConfigurationError(...(await describeMistakes(file, text, issues)));
}

/** @throws ConfigurationError for a value that could hide content, or that is too expensive to process */
function checkValue(file: string, raw: object): void {
  try {
    checkPlainValue(raw);
    checkEntries(raw);
  } catch (error) {
    throw error instanceof PlainValueError ? new ConfigurationError(`${file}: ${error.message}`) : error;
  }
}

const maxEntries = { mcpServers: 200, packs: 200, issuesSync: 200, models: 200, routing: 200, workflows: 1000 };

function checkEntries(raw: object): void {
  for (const [key, max] of Object.entries(maxEntries)) {
    const value: unknown = Object.getOwnPropertyDescriptor(raw, key)?.value;
    const count = Object.keys(value ?? {}).length;
    if (count > max) throw new PlainValueError(`${key}: expected at most ${max} entries, received ${count}`);
  }
}

/** Settings of `relay` that have another name and unit now. */
const renamed = { threshold: "thresholdTokens", tools: "toolThresholdTokens" };

interface RawConfig {
  readonly relay?: unknown;
  readonly packs?: unknown;
}

/** Issues for settings that were renamed or moved. The schema may call them unknown fields as well. */
function renamedIssues({ relay, packs }: RawConfig): readonly z.core.$ZodIssueCustom[] {
  const issues = Object.entries(renamed)
    .filter(([before]) => isObject(relay) && Object.hasOwn(relay, before))
    .map(([before, now]) => issue(["relay", before], `use relay.${now}, in tokens (a token is about 4 bytes)`));
  const workflows = isObject(packs) ? packs["workflows"] : undefined;
  const hasModels = isObject(workflows) && Object.hasOwn(workflows, "models");
  const moved = "use models at the top level of this file, which all parts of the server share";
  return hasModels ? [...issues, issue(["packs", "workflows", "models"], moved)] : issues;
}

/** Issues in the settings of models. */
async function modelIssues(config: Config): Promise<readonly z.core.$ZodIssue[]> {
  const { models, routing, modelBudget } = config;
  if (models === undefined && routing === undefined && modelBudget === undefined) return [];
  return (await import("./model-fields.ts")).modelIssues(config);
}

function issue(at: readonly string[], message: string): z.core.$ZodIssueCustom {
  return { code: "custom", path: [...at], message, input: undefined };
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

/** Parses a config file. The parsers are recursive, so deep nesting overflows the stack and is refused. */
async function parseOrRefuse(file: string, text: string): Promise<unknown> {
  try {
    return await parse(file, text);
  } catch (error) {
    throw error instanceof RangeError ? new ConfigurationError(`${file}: nested too deeply`) : error;
  }
}

/** Parses a config file by its extension. Only the parser of that format is loaded. */
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
