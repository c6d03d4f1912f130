import { isObject, type JsonSchema } from "@toolpacks/core";

/** A schema, and its path in the schema that contains it. */
export interface SchemaNode {
  readonly schema: JsonSchema;
  /** The path, such as `edits[].old`. Empty at the root. */
  readonly path: string;
  /** The name of the property, if this is the schema of a property. */
  readonly property?: string;
}

const branches = ["anyOf", "oneOf", "allOf"] as const;

/** Yields the schema, and each schema inside it once. It walks `$defs` and follows no references. */
export function* walkSchema(schema: JsonSchema, path = "", property?: string): Generator<SchemaNode> {
  yield property === undefined ? { schema, path } : { schema, path, property };
  for (const keyword of ["properties", "patternProperties"]) {
    for (const [name, child] of childEntries(schema[keyword])) {
      yield* walkSchema(child, path === "" ? name : `${path}.${name}`, keyword === "properties" ? name : undefined);
    }
  }
  for (const [name, child] of childEntries(schema["$defs"])) yield* walkSchema(child, `$defs.${name}`);
  for (const keyword of branches) {
    const alternatives = schema[keyword];
    if (!Array.isArray(alternatives)) continue;
    for (const branch of alternatives) if (isObject(branch)) yield* walkSchema(branch, path);
  }
  for (const keyword of ["items", "additionalProperties"]) {
    const child = schema[keyword];
    if (isObject(child)) yield* walkSchema(child, `${path}${keyword === "items" ? "[]" : ".*"}`);
  }
  const tuple = schema["prefixItems"];
  if (!Array.isArray(tuple)) return;
  for (const [at, child] of tuple.entries()) if (isObject(child)) yield* walkSchema(child, `${path}[${at}]`);
}

/** The properties of an object schema, by name. */
export function propertiesOf(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  return childEntries(schema["properties"]);
}

function childEntries(children: unknown): readonly (readonly [string, JsonSchema])[] {
  if (!isObject(children)) return [];
  return Object.entries(children).filter((entry): entry is [string, JsonSchema] => isObject(entry[1]));
}
