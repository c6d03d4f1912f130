import { isObject, type JsonSchema } from "@toolpacks/core";

/** A field of a record that a caller writes. */
export interface RecordField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

/** The schema of a record that a caller writes: without the fields that only the kind sets. */
export function writableSchema(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  const fields = Object.entries(isObject(properties) ? properties : {});
  const written = fields.filter(([, field]) => !(isObject(field) && field["readOnly"] === true));
  return { ...schema, properties: Object.fromEntries(written) };
}

/** The names of the fields that a caller writes, optional ones with `?`. If there are more than `max`, only the required ones. */
export function fieldNamesText(schema: JsonSchema, max: number): string {
  const fields = writtenFields(schema);
  if (fields.length <= max) return fields.map(nameText).join(", ");
  return [...fields.filter(({ isRequired }) => isRequired).map(nameText), "…"].join(", ");
}

/** The fields that a caller writes. */
export function writtenFields(schema: JsonSchema): readonly RecordField[] {
  const { properties, required } = writableSchema(schema);
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties as object).map(([name, field]: [string, unknown]) => ({
    name,
    isRequired: names.includes(name),
    schema: isObject(field) ? field : {},
  }));
}

/** The name of a field, with `?` if it is optional. */
export function nameText({ name, isRequired }: RecordField): string {
  return `${name}${isRequired ? "" : "?"}`;
}
