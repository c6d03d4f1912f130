import { quoteName, visibleJson, type CatalogEntry, type JsonSchema } from "@toolpacks/core";
import { asObject, nameText, parameters, signature, textSchema, typeText } from "./signature.ts";

/** Describes a tool as compact text: signature, description, the meaning and limits of each field, result fields, an example. */
export function describeTool({ tool }: CatalogEntry): string {
  const input = tool.input.full();
  const result = tool.output && textSchema(tool.output);
  const example = tool.examples[0];
  return [
    `${signature(tool)}${tool.mutates ? " [mutates]" : ""}`,
    tool.description,
    ...clipLines(fieldLines(input, "  ")),
    ...(result === undefined ? [] : [`returns ${typeText(result, { depth: 2 })}`]),
    ...(example === undefined
      ? []
      : [`example${example.say === undefined ? "" : ` (${example.say})`}: ${JSON.stringify(example.args)}`]),
  ].join("\n");
}

const maxDepth = 4;
const maxLines = 300;
const maxLineCharacters = 2_000;

/** Cuts the lines to the limits above and adds how many were left out. */
function clipLines(lines: readonly string[]): readonly string[] {
  const shown = lines
    .slice(0, maxLines)
    .map((line) => (line.length > maxLineCharacters ? `${line.slice(0, maxLineCharacters)}…` : line));
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `  … and ${more} fields more; the JSON Schema has them`];
}

/** One line per field. Nested fields follow it, indented. */
export function fieldLines(schema: JsonSchema, indent: string): readonly string[] {
  if (indent.length / 2 > maxDepth) return [];
  return parameters(schema).flatMap((parameter) => {
    const { name, required, schema: field } = parameter;
    const facts = [meaning(field), ...limits(field)].filter((fact) => fact !== "").join("; ");
    const line = `${indent}${nameText(name)}${required ? "" : "?"}: ${typeText(field, { depth: 0 })}${facts === "" ? "" : ` - ${facts}`}`;
    return [line, ...nestedSchemas(field).flatMap((nested) => fieldLines(nested, `${indent}  `))];
  });
}

/** The object schemas inside a field: the field itself, its items, and its `anyOf` and `oneOf` branches. */
function nestedSchemas(schema: JsonSchema): readonly JsonSchema[] {
  const branches = [schema["anyOf"], schema["oneOf"]].filter((branch) => Array.isArray(branch)).flat();
  if (branches.length > 0) return branches.flatMap((branch) => nestedSchemas(asObject(branch)));
  if (schema["type"] === "array") return nestedSchemas(asObject(schema["items"]));
  return schema["properties"] === undefined ? [] : [schema];
}

/** What a field means, on one line. */
export function meaning(schema: JsonSchema): string {
  const description = schema["description"];
  // A line break in a description could fake the line of another field.
  return typeof description === "string" ? description.replaceAll(/\s+/g, " ").trim() : "";
}

const limitTexts: readonly (readonly [keyword: string, text: (value: string) => string])[] = [
  ["minimum", (value) => `at least ${value}`],
  ["exclusiveMinimum", (value) => `more than ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["exclusiveMaximum", (value) => `less than ${value}`],
  ["minLength", (value) => (value === "1" ? "not empty" : `at least ${value} characters`)],
  ["maxLength", (value) => `at most ${value} characters`],
  ["minItems", (value) => (value === "1" ? "not empty" : `at least ${value} items`)],
  ["maxItems", (value) => `at most ${value} items`],
  ["pattern", (value) => `matches ${value}`],
  ["format", (value) => value],
  ["default", (value) => `default ${value}`],
];

function limits(schema: JsonSchema): readonly string[] {
  return limitTexts.flatMap(([keyword, text]) => {
    const value = schema[keyword];
    if (value === undefined || (typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER)) return [];
    return [text(typeof value === "string" && keyword !== "default" ? quoteName(value) : visibleJson(value))];
  });
}
