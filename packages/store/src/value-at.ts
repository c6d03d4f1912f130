import type { FieldPath, RecordData } from "@toolpacks/core";

/** The value of a field or at a dotted path into nested objects. Undefined if there is none. */
export function valueAt(data: RecordData, path: FieldPath): unknown {
  let value: unknown = data;
  for (const name of path.split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
    value = (value as RecordData)[name];
  }
  return value;
}
