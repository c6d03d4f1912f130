import { isDeepStrictEqual } from "node:util";
import { ConfigurationError, isObject } from "@toolpacks/core";
import { parseJsonc, parseToml, parseYaml } from "@toolpacks/settings/formats";
import { setValues, type Edit } from "./edit.ts";
import { applyJsonEdits } from "./json-edits.ts";
import { applyTomlEdits } from "./toml-edits.ts";
import { applyYamlEdits } from "./yaml-edits.ts";

/** The format of a client's config file. JSON may have comments and trailing commas. */
export type ConfigFormat = "json" | "toml" | "yaml";

/** A config file and its text, without a byte order mark. */
export interface ConfigText {
  readonly file: string;
  readonly format: ConfigFormat;
  readonly text: string;
}

const formats = {
  json: { parse: parseJsonc, apply: applyJsonEdits },
  toml: { parse: parseToml, apply: applyTomlEdits },
  yaml: { parse: parseYaml, apply: applyYamlEdits },
} as const;

/** Parses the text of a config file. @throws ConfigurationError with line and column */
export function parseText({ file, format, text }: ConfigText): unknown {
  return text.trim() === "" ? undefined : formats[format].parse(file, text);
}

/** The value at a key path; undefined if there is none. */
export function valueAt(root: unknown, at: readonly string[]): unknown {
  return at.reduce((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), root);
}

/**
 * Applies edits to the text of a config file. Comments, line breaks and all other values stay.
 *
 * @throws ConfigurationError if the file cannot be parsed, or cannot be edited without another change of its values
 */
export function editText(config: ConfigText, edits: readonly Edit[]): string {
  const expected = setValues(parseText(config), edits);
  const text = formats[config.format].apply(config.text, edits);
  // The clones have the same prototypes, whichever parser made the values.
  if (!isDeepStrictEqual(structuredClone(parseText({ ...config, text })), structuredClone(expected))) {
    throw new ConfigurationError(`${config.file}: cannot be edited without changing other values; edit it by hand`);
  }
  return text;
}
