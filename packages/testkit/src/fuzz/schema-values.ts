import { isObject, type JsonSchema } from "@toolpacks/core";
import { referenced } from "@toolpacks/schema";
import * as fc from "fast-check";
import { propertiesOf } from "../schema-walk.ts";
import { junkText } from "./junk.ts";

interface Source {
  readonly root: JsonSchema;
  readonly words: readonly string[];
  /** Remaining depth for recursive schemas. */
  readonly depth: number;
}

/**
 * Generates values that match a schema, except for patterns and formats.
 *
 * @param words texts that are sometimes used in place of random ones
 */
export function schemaValues(root: JsonSchema, words: readonly string[]): fc.Arbitrary<unknown> {
  return valuesOf(root, { root, words, depth: 6 });
}

function valuesOf(schema: JsonSchema, source: Source): fc.Arbitrary<unknown> {
  const { type, const: constant, enum: options, $ref: reference } = schema;
  if (source.depth <= 0) return fc.constant(null);
  if (constant !== undefined) return fc.constant(constant);
  if (Array.isArray(options) && options.length > 0) return fc.constantFrom<unknown>(...options);
  if (typeof reference === "string") {
    const target = referenced(source.root, reference);
    return valuesOf(isObject(target) ? target : {}, deeper(source));
  }
  const alternatives = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"];
  if (Array.isArray(alternatives) && alternatives.length > 0) {
    return fc.oneof(...alternatives.filter(isObject).map((branch) => valuesOf(branch, deeper(source))));
  }
  const types = Array.isArray(type) ? type.map(String) : [typeof type === "string" ? type : "any"];
  return fc.oneof(...types.map((each) => typed(each, schema, source)));
}

function typed(type: string, schema: JsonSchema, source: Source): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return texts(schema, source.words);
    case "integer":
      return fc.integer(range(schema));
    case "number":
      return fc.oneof(fc.integer(range(schema)), fc.double({ noNaN: true, ...range(schema) }));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return arrays(schema, source);
    case "object":
      return objects(schema, source);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function texts(schema: JsonSchema, words: readonly string[]): fc.Arbitrary<unknown> {
  const min = numberOr(schema["minLength"], 0);
  const max = Math.max(min, numberOr(schema["maxLength"], 40));
  return fc.oneof(
    { weight: 2, arbitrary: junkText(words) },
    { weight: 1, arbitrary: fc.string({ minLength: min, maxLength: Math.min(max, min + 40) }) },
  );
}

/** The range of a number: small numbers, such as those of lines, limits and depths. */
function range(schema: JsonSchema): { readonly min: number; readonly max: number } {
  const min = Math.max(numberOr(schema["minimum"] ?? schema["exclusiveMinimum"], -10), -(2 ** 31));
  const max = Math.min(numberOr(schema["maximum"] ?? schema["exclusiveMaximum"], min + 100), 2 ** 31 - 1);
  return { min: Math.min(min, max), max };
}

function arrays(schema: JsonSchema, source: Source): fc.Arbitrary<unknown> {
  const items = schema["items"];
  const min = numberOr(schema["minItems"], 0);
  const tuple = schema["prefixItems"];
  if (Array.isArray(tuple)) return fc.tuple(...tuple.filter(isObject).map((item) => valuesOf(item, deeper(source))));
  const item = isObject(items) ? valuesOf(items, deeper(source)) : fc.jsonValue({ maxDepth: 1 });
  return fc.array(item, { minLength: min, maxLength: Math.max(min, Math.min(numberOr(schema["maxItems"], 4), 4)) });
}

function objects(schema: JsonSchema, source: Source): fc.Arbitrary<unknown> {
  const required = schema["required"];
  const entries = propertiesOf(schema).map(([name, child]) => [name, valuesOf(child, deeper(source))] as const);
  const shape = Object.fromEntries(entries);
  if (entries.length === 0) {
    const rest = schema["additionalProperties"];
    if (!isObject(rest)) return fc.constant({});
    return fc.dictionary(junkText(source.words), valuesOf(rest, deeper(source)), { maxKeys: 3 });
  }
  const requiredKeys = Array.isArray(required) ? required.map(String).filter((name) => name in shape) : [];
  return fc.record(shape, { requiredKeys });
}

function deeper(source: Source): Source {
  return { ...source, depth: source.depth - 1 };
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}
