import { closest, isObject, ToolError, type FieldPath, type JsonSchema, type Kind } from "@toolpacks/core";
import { describeKind } from "../kind-layout.ts";

/** The field of a record that a path begins with. */
export function rootField(path: FieldPath): string {
  return path.split(".", 1)[0] ?? path;
}

/**
 * Checks a dotted path to a value in a record.
 *
 * @throws ToolError `invalid_input` if the schema has no such value
 */
export function checkNestedField(kind: Kind, path: FieldPath): void {
  const names = path.split(".");
  if (names.length === 1) return;
  let schema: JsonSchema = describeKind(kind).schema;
  for (const [at, name] of names.entries()) {
    const { type, properties, additionalProperties: rest } = schema;
    const isPlain = typeof type === "string" && type !== "object";
    // Without declared properties, any name may be in the record.
    if (!isObject(properties) && !isPlain) return;
    const known = isObject(properties) ? Object.keys(properties) : [];
    const field = isObject(properties) && known.includes(name) ? properties[name] : undefined;
    if (field === undefined) {
      if (type === "object" && rest !== false && rest !== undefined) return;
      const around = names.slice(0, at).join(".");
      const near = closest(name, known);
      const hint = near === undefined ? "" : `, did you mean ${around}.${near}?`;
      const has = known.length === 0 ? "has no named values, show all of it" : `has ${known.join(", ")}`;
      const message = `fields: a ${kind.name} has no ${JSON.stringify(path)}${hint}`;
      throw new ToolError("invalid_input", message, `${around} ${has}.`);
    }
    schema = isObject(field) ? field : {};
  }
}
