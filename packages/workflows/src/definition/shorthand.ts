import { isObject, ToolError, type JsonSchema } from "@toolpacks/core";

const simpleTypes = new Set(["string", "number", "integer", "boolean", "object", "array"]);
const shorthandPattern = /^([a-z]+)(\[\])?(\?)?$/;

/**
 * The JSON Schema of an object, from a JSON Schema or from shorthand. In shorthand each field has a type or a JSON Schema;
 * `[]` after a type means a list, and `?` means optional.
 *
 * @param at its place, for the error
 * @throws ToolError `invalid_input` naming the field and what would be accepted
 */
export function objectSchema(source: Readonly<Record<string, unknown>>, at: string): JsonSchema {
  if (isJsonSchema(source)) return source;
  const fields = Object.entries(source).map(([name, value]) => [name, field(value, `${at}.${name}`)] as const);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
    required: fields.filter(([, { required }]) => required).map(([name]) => name),
    additionalProperties: false,
  };
}

function isJsonSchema(source: Readonly<Record<string, unknown>>): boolean {
  const { type, properties } = source;
  return (
    "$schema" in source || "$ref" in source || (type === "object" && (properties === undefined || isObject(properties)))
  );
}

function field(value: unknown, at: string): { readonly schema: JsonSchema; readonly required: boolean } {
  if (isObject(value)) return { schema: value, required: !("default" in value) };
  const match = typeof value === "string" ? shorthandPattern.exec(value) : null;
  const [, type = "", list, optional] = match ?? [];
  if (!simpleTypes.has(type)) {
    const expected =
      "expected string, number, integer, boolean, object or array, with [] or ? after it, or a JSON Schema";
    throw new ToolError("invalid_input", `${at}: ${expected}`);
  }
  return {
    schema: list === undefined ? { type } : { type: "array", items: { type } },
    required: optional === undefined,
  };
}

/** A field at the root of a schema. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** The fields in the JSON Schema of an object. */
export function fieldsOf({ properties, required }: JsonSchema): readonly Field[] {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: isObject(schema) ? schema : {},
    required: names.includes(name),
  }));
}
