import type { z } from "zod";
import { closest } from "./nearest.ts";
import { fieldNames, type ObjectSchema, type Schema } from "./object-schema.ts";

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

/** The field names of each object schema at a path in a zod schema. */
export function fieldsAt(schema: Schema, path: readonly PropertyKey[]): readonly (readonly string[])[] {
  const found = path.reduce<readonly Schema[]>(
    (schemas, part) => schemas.flatMap(unwrap).flatMap((one) => childOf(one, part)),
    [schema],
  );
  return found.flatMap(unwrap).filter(isObjectSchema).map(fieldNames);
}

/** The schemas inside a wrapper such as optional or default, and each branch of a union. */
function unwrap(schema: Schema): readonly Schema[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "catch":
    case "readonly":
      return unwrap(def.innerType);
    case "lazy":
      return unwrap(def.getter());
    case "union":
      return def.options.flatMap(unwrap);
    case "intersection":
      return [...unwrap(def.left), ...unwrap(def.right)];
    case "pipe":
      // A z.preprocess pipe begins with a function, which has no fields.
      return unwrap(def.in._zod.def.type === "transform" ? def.out : def.in);
    default:
      return [schema];
  }
}

function childOf(schema: Schema, part: PropertyKey): readonly Schema[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "array") return [def.element];
  if (def.type === "record") return [def.valueType];
  if (def.type === "tuple") return [def.items[Number(part)] ?? def.rest ?? []].flat();
  if (def.type !== "object") return [];
  const child = Object.hasOwn(def.shape, part) ? def.shape[String(part)] : def.catchall;
  return child === undefined ? [] : [child];
}

function isObjectSchema(schema: Schema): schema is ObjectSchema {
  return schema._zod.def.type === "object";
}
