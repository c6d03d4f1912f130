import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ParseError } from "jsonc-parser";
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

/** Reads and checks a config file. The error names the file, the key, and what would be accepted. */
export async function readConfig(file: string): Promise<ConfigFile> {
  const text = read(file);
  const raw = await parse(file, text);
  const [{ configSchema }, { describeIssues }] = await Promise.all([
    import("./config-schema.ts"),
    import("@toolpacks/core"),
  ]);
  const parsed = configSchema.safeParse(raw ?? {});
  if (parsed.success) return { path: file, directory: path.dirname(file), config: parsed.data };
  throw new ConfigurationError(`${file}: ${describeIssues(parsed.error.issues, Object.keys(configSchema.shape))}`);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigurationError(`${file}: cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}

async function parse(file: string, text: string): Promise<unknown> {
  const extension = path.extname(file);
  switch (extension) {
    case ".jsonc":
    case ".json":
      return parseJsonc(file, text);
    case ".yaml":
    case ".yml":
      return parseYaml(file, text);
    case ".toml":
      return parseToml(file, text);
    default:
      throw new ConfigurationError(`${file}: expected a .jsonc, .json, .yaml or .toml file`);
  }
}

async function parseJsonc(file: string, text: string): Promise<unknown> {
  const { parse: parseText, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const value: unknown = parseText(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const before = text.slice(0, first.offset).split("\n");
  const position = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  throw new ConfigurationError(`${file}:${position}: not valid JSON (${printParseErrorCode(first.error)})`);
}

async function parseYaml(file: string, text: string): Promise<unknown> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first === undefined) return document.toJS();
  const { line, col } = first.linePos?.[0] ?? { line: 1, col: 1 };
  throw new ConfigurationError(`${file}:${line}:${col}: not valid YAML (${first.code})`);
}

async function parseToml(file: string, text: string): Promise<unknown> {
  const { parse: parseText, TomlError } = await import("smol-toml");
  try {
    return parseText(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n", 1)[0] ?? "";
    throw new ConfigurationError(`${file}:${error.line}:${error.column}: not valid TOML (${reason})`);
  }
}
