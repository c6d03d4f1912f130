import { isObject, type JsonSchema, ToolError } from "@toolpacks/core";
import { nameText, writableSchema, writtenFields, type RecordField } from "./record-fields.ts";

/** Maximum fields, and values of an enum, that are shown. */
const maxFields = 60;
const maxValues = 8;
const maxNoteCharacters = 70;

/** The error of a record that breaks its kind's schema: each wrong field, and in the hint the accepted fields with their types. */
export function wrongRecord(kind: string, message: string, schema: JsonSchema): ToolError {
  const { properties } = writableSchema(schema);
  const known = Object.keys(isObject(schema["properties"]) ? schema["properties"] : {});
  const problem = message
    .replaceAll(/(^|; )args: /g, "$1record: ")
    // The hint names the accepted fields, too.
    .replaceAll(` (accepted: ${known.join(", ")})`, "")
    .replaceAll(/, did you mean (\w+)\?/g, (text, name: string) =>
      Object.hasOwn(properties as object, name) ? text : "",
    );
  return new ToolError("invalid_input", problem, `Fields of kind ${kind}: ${fieldTypesText(schema)}.`);
}

/** The fields that a caller writes with their types on one line: `text: string, due: date (2027-01-31)`. Notes are left out of a long line. */
function fieldTypesText(schema: JsonSchema, maxCharacters = 700): string {
  const fields = writtenFields(schema);
  const typed = (field: RecordField) => `${nameText(field)}: ${typeText(field.schema)}`;
  const noted = listText(fields.map((field) => `${typed(field)}${noteText(field.schema)}`));
  return noted.length <= maxCharacters ? noted : listText(fields.map(typed));
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
