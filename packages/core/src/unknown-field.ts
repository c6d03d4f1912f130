import type { z } from "zod";
import { closest } from "./nearest.ts";
import { fieldNames, type ObjectSchema, type Schema } from "./object-schema.ts";

/**
 * What a caller reads of a field that its object does not have.
 *
 * @param field its whole path
 * @param objects the fields of each object that may stand there: one, or one for each form of a union; none where that is unknown
 */
export function unknownField(field: string, name: string, objects: readonly (readonly string[])[]): string {
  const near = closest(name, new Set(objects.flat()));
  const suggestion = near === undefined ? "" : `, did you mean ${near}?`;
  const [only, ...others] = objects;
  const accepted = only === undefined || others.length > 0 ? "" : ` (accepted: ${only.join(", ") || "none"})`;
  return `${field}: unknown field${suggestion}${accepted}`;
}

/** The fields of each object that a zod schema admits at a path. */
export function fieldsAt(schema: Schema, path: readonly PropertyKey[]): readonly (readonly string[])[] {
  const found = path.reduce<readonly Schema[]>(
    (schemas, part) => schemas.flatMap(unwrap).flatMap((one) => childOf(one, part)),
    [schema],
  );
  return found.flatMap(unwrap).filter(isObjectSchema).map(fieldNames);
}

/** The schema inside optional, default and the like; each form of a union. */
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
      // What z.preprocess makes has a function at its beginning, which says nothing of fields.
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
