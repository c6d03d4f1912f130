import { ConfigurationError, isObject, type JsonSchema, jsonValue } from "@toolpacks/core";
import type { ArgumentPair } from "./argument-pairs.ts";
import { buildCallArguments, readJsonText, readPair, readArgumentText } from "./call-arguments.ts";
import type { Io } from "@toolpacks/terminal";
import { kebab, positionalFields, type SchemaField } from "./schema-flags.ts";

interface GivenArguments {
  readonly fields: readonly SchemaField[];
  readonly input: JsonSchema;
  /** The words that are no flags: values of the positional fields, `key=value`, or a JSON object. */
  readonly words: readonly string[];
  /** The values of the flags, by their names in camel case. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Reads the arguments of a tool. `-` is the text of stdin, and the only word of a command without flags is its JSON.
 *
 * @throws ConfigurationError that names the word
 */
export async function readToolArguments(io: Io, given: GivenArguments): Promise<Readonly<Record<string, unknown>>> {
  const { fields, input, words, options } = given;
  const flags = fields.flatMap((field) => flagPairs(field, options));
  if (words.length === 1 && words[0] === "-" && flags.length === 0) {
    const value = readJsonText(await readArgumentText(io), "stdin");
    if (isObject(value)) return value;
    throw new ConfigurationError("stdin: expected a JSON object");
  }
  const names = new Set(fields.map(({ path }) => path.split(".")[0] ?? ""));
  const short = new Map(fields.flatMap(({ path, flag }) => (flag === undefined ? [] : [[flag, path] as const])));
  const pairs: ArgumentPair[] = [];
  const values: string[] = [];
  const json: Record<string, unknown> = {};
  for (const word of words) {
    const object = /^\s*\{/.test(word) ? jsonValue(word) : undefined;
    const [key = ""] = /^[^=:\s]+(?=:?=)/.exec(word) ?? [];
    const path = short.get(kebab(key));
    if (isObject(object)) Object.assign(json, object);
    else if (path !== undefined) pairs.push({ ...readPair(word), key: path });
    else if (names.has(key.split(".")[0] ?? "")) pairs.push(readPair(word));
    else values.push(word);
  }
  const all = [...positionalPairs(positionalFields(fields), values), ...flags, ...pairs];
  let text: string | undefined;
  const read = async () => (text ??= (await readArgumentText(io)).replace(/\r?\n$/, ""));
  const texts: ArgumentPair[] = [];
  for (const pair of all) texts.push("text" in pair && pair.text === "-" ? { ...pair, text: await read() } : pair);
  return buildCallArguments({ json, pairs: texts }, input) as Readonly<Record<string, unknown>>;
}

function flagPairs({ path, flag }: SchemaField, options: Readonly<Record<string, unknown>>): readonly ArgumentPair[] {
  const value = flag === undefined ? undefined : options[camelCase(flag)];
  if (typeof value === "boolean") return [{ key: path, json: value }];
  const texts = [value].flat().filter((one) => typeof one === "string");
  return texts.map((text) => ({ key: path, text }));
}

function positionalPairs(fields: readonly SchemaField[], values: readonly string[]): readonly ArgumentPair[] {
  const last = fields.at(-1);
  return values.map((text, at) => {
    const field = fields[at] ?? (last?.types.has("array") === true ? last : undefined);
    if (field !== undefined) return { key: field.path, text };
    throw new ConfigurationError(`unexpected ${JSON.stringify(text)}; --help shows the flags and values`);
  });
}

/** The name that commander gives the value of a flag. */
function camelCase(flag: string): string {
  return flag.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
