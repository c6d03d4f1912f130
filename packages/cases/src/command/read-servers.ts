import path from "node:path";
import { errorText, isObject } from "@toolpacks/core";
import { checkPlainValue } from "@toolpacks/bounded-io";
import { readRegularFile } from "@toolpacks/files";
import { parse as parseJsonc, printParseErrorCode, type ParseError } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { CaseError } from "../case-error.ts";

const maxBytes = 4 * 1_048_576;

/**
 * Reads `mcpServers` of a config file of a client or of `toolpacks`: JSON with comments, YAML or TOML. The user names the file, so
 * what it says may be run.
 *
 * @throws CaseError that names the file and the problem
 */
export function readServers(file: string): Readonly<Record<string, unknown>> {
  const parse = parsers[path.extname(file)];
  if (parse === undefined)
    throw new CaseError(`--config: expected a .json, .jsonc, .yaml or .toml file, received ${file}`);
  try {
    const text = readRegularFile(file, maxBytes)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
    const value = parse(text);
    checkPlainValue(value);
    const entries = (isObject(value) ? value["mcpServers"] : undefined) ?? {};
    if (!isObject(entries)) throw new Error("mcpServers: expected servers by their names");
    return entries;
  } catch (error) {
    const [reason] = errorText(error).split("\n");
    throw new CaseError(`${file}: cannot be read (${reason})`);
  }
}

/** By the file's extension. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  ".json": parseJson,
  ".jsonc": parseJson,
  ".yaml": readYaml,
  ".yml": readYaml,
  ".toml": parseToml,
};

function readYaml(text: string): unknown {
  // Warnings would be printed as they are, with text of the file.
  return parseYaml(text, { logLevel: "error" });
}

function parseJson(text: string): unknown {
  const errors: ParseError[] = [];
  const value = parseJsonc(text, errors, { allowTrailingComma: true }) as unknown;
  const [first] = errors;
  if (first === undefined) return value;
  const line = text.slice(0, first.offset).split("\n").length;
  throw new Error(`line ${line}: ${printParseErrorCode(first.error)}`);
}
