import type { z } from "zod";
import { isObject } from "./is-object.ts";

/**
 * Corrects what models write in place of a list with one item: `ids: "a"` and `id: "a"` become `ids: ["a"]`. Fields that the schema has stay as they are.
 *
 * @returns undefined if there is nothing to correct
 */
export function withListFields(
  value: unknown,
  schema: z.core.$ZodObject,
): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(value)) return undefined;
  const { shape } = schema._zod.def;
  const corrected = { ...value };
  let isCorrected = false;
  for (const [name, field] of Object.entries(shape)) {
    if (!isList(field)) continue;
    const single = name.replace(/s$/, "");
    const given = Object.hasOwn(value, name) || Object.hasOwn(shape, single) ? name : single;
    const item = Object.hasOwn(value, given) ? value[given] : undefined;
    if (item === undefined || item === null || Array.isArray(item)) continue;
    Reflect.deleteProperty(corrected, given);
    corrected[name] = [item];
    isCorrected = true;
  }
  return isCorrected ? corrected : undefined;
}

function isList(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod;
  return def.type === "array" || ("innerType" in def && isList(def.innerType as z.core.$ZodType));
}
