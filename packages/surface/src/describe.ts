import { clip, quoteName, visibleJson, type CatalogEntry, type JsonSchema } from "@toolpacks/core";
import { resultText } from "./result-text.ts";
import { asObject, nameText, parameters, textSchema, typeText } from "./signature.ts";

/** The results that an answer has described, each with the name of the first tool that returns it. */
export type DescribedResults = Map<string, string>;

/**
 * Describes a tool as compact text: what it does, each field once with its type and meaning, the fields of the result, and an example.
 *
 * @param results a result in it is not described again; the tool's own is added
 */
export function describeTool({ tool }: CatalogEntry, results: DescribedResults = new Map()): string {
  const result = tool.output === undefined ? "" : resultText(textSchema(tool.output));
  const sameAs = result.length > maxRepeatedResult ? results.get(result) : undefined;
  if (sameAs === undefined) results.set(result, tool.name);
  const fields = fieldLines(tool.input.full(), "  ");
  const example = tool.examples.find(({ args }) => Object.keys(args).length > 0);
  return [
    `${tool.name}${tool.mutates ? " [mutates]" : ""}: ${tool.description}`,
    ...clipLines(fields),
    ...(result === "" ? [] : [`returns ${sameAs === undefined ? result : `the same as ${sameAs}`}`]),
    ...(example === undefined ? [] : [`example: ${JSON.stringify(example.args)}`]),
  ].join("\n");
}

/** Maximum length of a result that each tool's text has. */
const maxRepeatedResult = 24;

const maxDepth = 4;
const maxLines = 300;
const maxLineCharacters = 2_000;

/** Cuts the lines to the limits above and adds how many were left out. */
function clipLines(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, maxLines).map((line) => clip(line, maxLineCharacters));
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `  … and ${more} fields more; the JSON Schema has them`];
}

/** One line per field. Nested fields follow it, indented. */
export function fieldLines(schema: JsonSchema, indent: string): readonly string[] {
  if (indent.length / 2 > maxDepth) return [];
  return parameters(schema).flatMap((parameter) => {
    const { name, required, schema: field } = parameter;
    const type = typeText(field, { depth: 0, maxValues: maxLineValues, hasFormats: true });
    const note = pageFields.has(name) && indent.length === 2 ? "" : meaning(field);
    const facts = [note, ...limits(field)].filter((fact) => fact !== "").join("; ");
    const line = `${indent}${nameText(name)}${required ? "" : "?"}: ${type}${facts === "" ? "" : ` - ${facts}`}`;
    return [line, ...nestedSchemas(field).flatMap((nested) => fieldLines(nested, `${indent}  `))];
  });
}

/** Fields of every list. An answer with more pages explains them. */
export const pageFields: ReadonlySet<string> = new Set(["limit", "cursor"]);

/** Maximum values of an enum in a line. */
const maxLineValues = 40;

/** The object schemas inside a field: the field itself, its items, and its `anyOf` and `oneOf` branches. */
function nestedSchemas(schema: JsonSchema): readonly JsonSchema[] {
  const branches = [schema["anyOf"], schema["oneOf"]].filter((branch) => Array.isArray(branch)).flat();
  if (branches.length > 0) return branches.flatMap((branch) => nestedSchemas(asObject(branch)));
  if (schema["type"] === "array") return nestedSchemas(asObject(schema["items"]));
  return schema["properties"] === undefined ? [] : [schema];
}

/** What a field means, on one line. @param maxCharacters of the description that are read */
export function meaning(
  { description }: { readonly description?: unknown },
  maxCharacters = maxLineCharacters,
): string {
  if (typeof description !== "string") return "";
  // A line break in a description could fake the line of another field.
  return description.slice(0, maxCharacters).replaceAll(/\s+/g, " ").trim();
}

/** What a caller cannot guess and the description does not say: the default, and a pattern. Other limits are in the error for a wrong value. */
function limits(schema: JsonSchema): readonly string[] {
  const { default: value, pattern } = schema;
  const description = meaning(schema);
  return [
    ...(typeof pattern === "string" && description === "" ? [`matches ${quoteName(pattern)}`] : []),
    ...(value === undefined || description.includes("default") ? [] : [`default ${visibleJson(value)}`]),
  ];
}
