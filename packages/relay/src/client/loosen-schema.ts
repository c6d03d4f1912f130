import type { JsonSchema } from "@toolpacks/core";

/** Keywords under which a schema's children are named by its author. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** What a text must be to the letter, which its handle is not. */
const literal = new Set([
  "pattern",
  "format",
  "minLength",
  "maxLength",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
]);
/** Under these, a schema that admits more would admit less. */
const turned = new Set(["not", "if", "const", "enum", "default", "examples"]);

/** An output schema that admits a handle wherever it admits a text; the same object when it does already. */
export function loosenSchema(schema: JsonSchema): JsonSchema {
  const loose = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (literal.has(keyword)) return [];
    if (turned.has(keyword)) return [[keyword, value]];
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
  return isSchema(value) ? loosenSchema(value) : value;
}

function eachChild(children: unknown): unknown {
  if (!isSchema(children)) return children;
  const loose = Object.entries(children).map(([name, one]) => [name, child(one)] as const);
  return loose.some(([name, one]) => one !== children[name]) ? Object.fromEntries(loose) : children;
}

function isSchema(value: unknown): value is JsonSchema {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
