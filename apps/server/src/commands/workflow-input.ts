import { ConfigurationError, errorText, isObject } from "@toolpacks/core";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Reads the values of `--input`: `key=value` has the type that the schema gives the field, and `key:=value` is JSON. A field of a list is repeated.
 *
 * @throws ConfigurationError naming the field
 */
export function readInput(pairs: readonly string[], schema: Schema | undefined): Readonly<Record<string, unknown>> {
  const input = new Map<string, unknown>();
  for (const pair of pairs) {
    const { key, raw, value = "" } = /^(?<key>[^=:]+)(?<raw>:?)=(?<value>.*)$/s.exec(pair)?.groups ?? {};
    if (key === undefined) {
      throw new ConfigurationError(`--input: expected key=value, or key:=JSON, received ${JSON.stringify(pair)}`);
    }
    const field = fieldSchema(schema, key);
    const before = input.get(key);
    if (raw === ":") input.set(key, parseJson(key, value));
    else if (field?.["type"] === "array") {
      const items = isObject(field["items"]) ? field["items"] : undefined;
      input.set(key, [...(Array.isArray(before) ? before : []), readValue(key, value, items)]);
    } else input.set(key, readValue(key, value, field));
  }
  // Not an object literal: a key may be `__proto__`.
  return Object.fromEntries(input);
}

function fieldSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const fields = schema?.["properties"];
  const field = isObject(fields) && Object.hasOwn(fields, key) ? fields[key] : undefined;
  return isObject(field) ? field : undefined;
}

/** Reads a text as a value of the schema's type. The tool refuses a text of another type and says what it expects. */
function readValue(key: string, text: string, schema: Schema | undefined): unknown {
  const type = schema?.["type"];
  if (type === "object" || type === "array") return parseJson(key, text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  if ((type === "number" || type === "integer") && text.trim() !== "" && Number.isFinite(Number(text))) {
    return Number(text);
  }
  return text;
}

function parseJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ConfigurationError(`--input ${key}: expected JSON (${errorText(error)})`);
  }
}
