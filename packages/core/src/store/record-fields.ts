import { isObject } from "../is-object.ts";
import type { JsonSchema } from "../json-schema.ts";

/** Maximum fields, and values of an enum, that are shown. */
const maxFields = 60;
const maxValues = 8;
const maxNoteCharacters = 70;

interface RecordField {
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

/** The fields that a caller writes with their types on one line: `text: string, due: date (2027-01-31)`. Notes are left out of a long line. */
export function fieldTypesText(schema: JsonSchema, maxCharacters = 700): string {
  const fields = writtenFields(schema);
  const typed = (field: RecordField) => `${nameText(field)}: ${typeText(field.schema)}`;
  const noted = listText(fields.map((field) => `${typed(field)}${noteText(field.schema)}`));
  return noted.length <= maxCharacters ? noted : listText(fields.map(typed));
}

function writtenFields(schema: JsonSchema): readonly RecordField[] {
  const { properties, required } = writableSchema(schema);
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties as object).map(([name, field]: [string, unknown]) => ({
    name,
    isRequired: names.includes(name),
    schema: isObject(field) ? field : {},
  }));
}

function nameText({ name, isRequired }: RecordField): string {
  return `${name}${isRequired ? "" : "?"}`;
}

function listText(texts: readonly string[]): string {
  return [...texts.slice(0, maxFields), ...(texts.length > maxFields ? ["…"] : [])].join(", ");
}

function typeText({ const: constant, enum: values, type, format, anyOf, items }: JsonSchema): string {
  const choices = constant === undefined ? values : [constant];
  if (Array.isArray(choices)) {
    const shown = choices.slice(0, maxValues).map((value) => JSON.stringify(value));
    return [...shown, ...(choices.length > maxValues ? ["…"] : [])].join("|");
  }
  const inner = (one: unknown) => (isObject(one) ? typeText(one) : "any");
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(inner))].join("|");
  if (type === "array") return `${inner(items)}[]`;
  if (type === "integer") return "int";
  if (format === "date" || format === "date-time") return format;
  return typeof type === "string" ? type : "any";
}

function noteText({ description }: JsonSchema): string {
  if (typeof description !== "string") return "";
  if (description.length <= maxNoteCharacters) return ` (${description})`;
  return ` (${description.slice(0, maxNoteCharacters).replace(/\s+\S*$/, "")}…)`;
}
