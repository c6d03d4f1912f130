import { parse, TomlError } from "smol-toml";
import { ConfigurationError } from "@toolpacks/core";

export function parseToml(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n", 1)[0] ?? "";
    throw new ConfigurationError(`${file}:${error.line}:${error.column}: not valid TOML (${reason})`);
  }
}
