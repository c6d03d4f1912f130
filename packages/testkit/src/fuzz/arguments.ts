import { isObject, type JsonSchema } from "@toolpacks/core";
import * as fc from "fast-check";
import { propertiesOf } from "../schema-walk.ts";
import { junkValue } from "./junk.ts";
import { schemaValues } from "./schema-values.ts";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Generates arguments for a tool: valid ones, valid ones with one change, examples with one change, and junk.
 */
export function fuzzedArguments(schema: JsonSchema, examples: readonly Arguments[]): fc.Arbitrary<unknown> {
  const words = [...new Set(examples.flatMap(textsIn))];
  const fields = propertiesOf(schema).map(([name]) => name);
  const admitted = schemaValues(schema, words);
  const base = examples.length === 0 ? admitted : fc.oneof(admitted, fc.constantFrom<unknown>(...examples));
  return fc.oneof(
    { weight: 3, arbitrary: admitted },
    { weight: 5, arbitrary: withOneWrong(base, fields, words) },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...fields, "unheard_of"), junkValue(words)) },
    { weight: 1, arbitrary: junkValue(words) },
  );
}

function withOneWrong(
  base: fc.Arbitrary<unknown>,
  fields: readonly string[],
  words: readonly string[],
): fc.Arbitrary<unknown> {
  const field = fields.length === 0 ? fc.constant("unheard_of") : fc.constantFrom(...fields);
  const change = fc.constantFrom(...changes);
  return fc.tuple(base, field, change, junkValue(words)).map(([value, name, apply, junk]) => {
    if (!isObject(value)) return value;
    return apply(value, name, junk);
  });
}

type Change = (args: Arguments, field: string, junk: unknown) => unknown;

const changes: readonly Change[] = [
  (args, field, junk) => ({ ...args, [field]: junk }),
  (args, field, junk) => ({ ...args, [field]: junk }),
  (args, field) => ({ ...args, [field]: [args[field]] }),
  (args, field) => ({ ...args, [field]: { [field]: args[field] } }),
  (args, field) => ({ ...args, [field]: JSON.stringify(args[field]) }),
  (args, field) => Object.fromEntries(Object.entries(args).filter(([name]) => name !== field)),
  (args, _field, junk) => ({ ...args, unheard_of: junk }),
  (args, field) => ({ ...args, [field.toUpperCase()]: args[field] }),
  (args) => Object.assign(JSON.parse('{"__proto__":{"polluted":true}}'), args) as unknown,
  (args) => JSON.stringify(args),
  (args) => [args],
];

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(textsIn);
}
