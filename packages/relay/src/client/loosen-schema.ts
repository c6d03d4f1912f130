import { isObject, type JsonSchema } from "@toolpacks/core";

/** Keywords whose children are named by the schema's author. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Constraints on texts that a handle does not satisfy. */
const literal = new Set([
  "pattern",
  "format",
  "minLength",
  "maxLength",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
]);
/** Under these keywords a looser schema would make the whole stricter, so they stay. */
const inverted = new Set(["not", "if", "const", "enum", "default", "examples"]);

/** Loosens an output schema so that it accepts a handle wherever it accepts a text. Returns the same object when it already does. */
export function loosenSchema(schema: JsonSchema): JsonSchema {
  const loose = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (literal.has(keyword)) return [];
    if (inverted.has(keyword)) return [[keyword, value]];
    return [[keyword, named.has(keyword) ? eachChild(value) : child(value)]];
  });
  const isSame =
    loose.length === Object.keys(schema).length && loose.every(([keyword, value]) => value === schema[keyword]);
  return isSame ? schema : Object.fromEntries(loose);
}

function child(value: unknown): unknown {
  if (Array.isArray(value)) {
    const loose = value.map((one) => child(one));
    return loose.some((one, at) => one !== value[at]) ? loose : value;
  }
  return isObject(value) ? loosenSchema(value) : value;
}

function eachChild(children: unknown): unknown {
  if (!isObject(children)) return children;
  const loose = Object.entries(children).map(([name, one]) => [name, child(one)] as const);
  return loose.some(([name, one]) => one !== children[name]) ? Object.fromEntries(loose) : children;
}
