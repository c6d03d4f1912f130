import type { z } from "zod";
import { closest } from "./nearest.ts";
import { isObject } from "./is-object.ts";
import { toJsonSchema, type JsonSchema } from "./json-schema.ts";
import type { Schema } from "./object-schema.ts";
import { schemaAt } from "./schema-walk.ts";

/**
 * The error for an unknown field, without its path.
 *
 * @param objects the field names of each object schema at this place: one, one per branch of a union, or none if not known
 */
export function unknownField(name: string, objects: readonly (readonly string[])[]): string {
  const near = closest(name, new Set(objects.flat()));
  const suggestion = near === undefined ? "" : `, did you mean ${near}?`;
  const [only, ...others] = objects;
  const accepted = only === undefined || others.length > 0 ? "" : ` (accepted: ${only.join(", ") || "none"})`;
  return `unknown field${suggestion}${accepted}`;
}

/** The field names of each object schema at a path in a zod schema. Empty if it has no JSON Schema, such as with a function as a default. */
export function fieldsAt(schema: Schema, path: readonly PropertyKey[]): readonly (readonly string[])[] {
  let root: JsonSchema;
  try {
    root = toJsonSchema(schema as unknown as z.core.$ZodType, "input", "any");
  } catch {
    return [];
  }
  return schemaAt(root, path.map(String)).flatMap(({ properties }) =>
    isObject(properties) ? [Object.keys(properties)] : [],
  );
}
