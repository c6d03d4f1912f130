import { ConfigurationError, isObject, type JsonSchema, jsonValue } from "@toolpacks/core";
import { branchesOf, childSchemas, constantsOf } from "@toolpacks/schema";

/** `key=text`, or `key:=<json>` with the parsed JSON. Dots in the key lead into nested objects. */
export type ArgumentPair = { readonly key: string } & ({ readonly text: string } | { readonly json: unknown });

interface PairOptions {
  /** Input schema of the tool. */
  readonly schema: JsonSchema;
  /** Whether an earlier pair has the same key. The values become a list. */
  readonly isRepeated: boolean;
}

/**
 * Adds a pair to the arguments. A wrong key or value is added as well: the tool's validation names the accepted fields and types.
 *
 * @throws ConfigurationError for an index that would leave a gap in a list
 */
export function setArgument(
  args: Record<string, unknown>,
  pair: ArgumentPair,
  { schema, isRepeated }: PairOptions,
): void {
  let target: object = args;
  let branches = branchesOf(schema, [schema]);
  const parts = keyParts(pair.key, branches);
  for (const [at, part] of parts.slice(0, -1).entries()) {
    branches = branchesOf(schema, childSchemas(branches, part));
    const child = ownValue(target, part);
    const existing = isObject(child) || Array.isArray(child) ? (child as object) : undefined;
    const next = existing ?? (isListOf(branches, parts[at + 1] ?? "") ? [] : {});
    if (existing === undefined) setOwn(target, part, next);
    target = next;
  }
  const key = parts.at(-1) ?? "";
  const accepted = branchesOf(schema, childSchemas(branches, key));
  const before = ownValue(target, key);
  if (isRepeated) {
    const items = itemsOf(schema, accepted);
    setOwn(target, key, [...(Array.isArray(before) ? (before as unknown[]) : [before]), valueOf(pair, items)]);
  } else setOwn(target, key, valueOf(pair, accepted, schema));
}

/** The keys of a path. A field whose name has dots is one key. */
function keyParts(key: string, branches: readonly JsonSchema[]): readonly string[] {
  const isField = branches.some(({ properties }) => isObject(properties) && Object.hasOwn(properties, key));
  return isField ? [key] : key.split(".");
}

/** Whether a key is the first index of a list: `issues.0.title=Fix`. */
function isListOf(branches: readonly JsonSchema[], key: string): boolean {
  const types = new Set(branches.flatMap(typesOf));
  return key === "0" && types.has("array") && !types.has("object");
}

/** The schemas of the items of lists with the given schemas. */
export function itemsOf(schema: JsonSchema, branches: readonly JsonSchema[]): readonly JsonSchema[] {
  return branchesOf(
    schema,
    branches.map(({ items }) => items),
  );
}

/** @param schema the tool's schema. Without it, a text is not parsed as JSON. */
function valueOf(pair: ArgumentPair, branches: readonly JsonSchema[], schema?: JsonSchema): unknown {
  if ("json" in pair) return pair.json;
  const { text } = pair;
  const types = new Set(branches.flatMap(typesOf));
  const scalar = scalarOf(text, branches, types);
  if (scalar !== undefined) return scalar;
  if (types.has("string") || schema === undefined) return text;
  const isJson = (types.has("array") && text.startsWith("[")) || (types.has("object") && text.startsWith("{"));
  const parsed = isJson ? jsonValue(text) : undefined;
  if (parsed !== undefined) return parsed;
  return types.has("array") ? [valueOf(pair, itemsOf(schema, branches))] : text;
}

/** The constant, number or boolean that a text means in a schema. Undefined: none. */
function scalarOf(text: string, branches: readonly JsonSchema[], types: ReadonlySet<string>): unknown {
  const constants = branches.flatMap(constantsOf);
  const constant = constants.find((one) => String(one) === text);
  if (constant !== undefined) return constant;
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
  if (isNumber && (types.has("number") || types.has("integer"))) return Number(text);
  if (types.has("boolean") && /^(true|false)$/.test(text)) return text === "true";
  if (types.has("null") && text === "null" && !types.has("string")) return null;
  return undefined;
}

function typesOf({ type, properties, items, ...schema }: JsonSchema): readonly string[] {
  if (Array.isArray(type)) return type as string[];
  // A list of constants accepts no other text.
  if (typeof type === "string") return type === "string" && constantsOf(schema).length > 0 ? [] : [type];
  if (properties !== undefined) return ["object"];
  return items === undefined ? [] : ["array"];
}

function ownValue(target: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(target, key)?.value;
}

/** Sets a field, or the next item of a list. `__proto__` becomes a field like any other. */
function setOwn(target: object, key: string, value: unknown): void {
  if (Array.isArray(target) && !(/^\d{1,5}$/.test(key) && Number(key) <= target.length)) {
    throw new ConfigurationError(
      `call: unexpected index ${key}; expected at most ${target.length}, the next of the list`,
    );
  }
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
