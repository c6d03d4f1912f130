import { estimateTokens, quoteName, visibleJson, type CatalogEntry, type JsonSchema } from "@toolpacks/core";
import {
  asObject,
  cutWords,
  nameText,
  parameters,
  parameterText,
  signature,
  textSchema,
  typeText,
  type Parameter,
} from "./signature.ts";

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

/** Maximum estimated tokens of another server's tool. The estimate may be a fifth too low: 250 o200k tokens at most. */
const maxForeignTokens = 205;

/** Further fields are in the JSON Schema only. */
const maxForeignFields = 60;

/** Maximum required fields whose meaning goes before further fields. */
const maxMeaningsFirst = 4;

/** Maximum words of the tool's description, and of a field's, in a shortened description. */
const maxWords = { tool: 40, field: 10 } as const;

/**
 * Describes a tool of another server within 250 tokens: the same as `describeTool` if that fits. Otherwise fields are left out at the end if their types do
 * not fit, and the rest of the room goes to what the first fields mean. The last line says that the text is shortened.
 */
export function describeForeignTool(entry: CatalogEntry): string {
  const { tool } = entry;
  const root = textSchema(tool.input);
  const all = parameters(root);
  if (all.length <= maxForeignFields) {
    const whole = describeTool(entry);
    if (estimateTokens(whole) <= maxForeignTokens) return whole;
  }
  const does = cutWords(singleSpaced(tool.description.slice(0, maxLineCharacters)), maxWords.tool);
  const head = `${tool.name}${tool.mutates ? " [mutates]" : ""}: ${clipText(does)}`;
  const noteOf = (left: number) => `(shortened${left === 0 ? "" : `, ${left} fields more`}; schema: true shows all)`;
  let room = maxForeignTokens - estimateTokens(`${head}\n${noteOf(all.length)}`);
  const lines: string[] = [];
  const add = (at: number, text: string) => {
    const cost = estimateTokens(text) + (lines[at] === undefined ? 1 : 0);
    if (cost > room) return false;
    room -= cost;
    lines[at] = `${lines[at] ?? ""}${text}`;
    return true;
  };
  const shown = all.slice(0, maxForeignFields);
  const addMeaning = ({ schema }: Parameter, at: number) => {
    const said = clipText(cutWords(meaning(schema), maxWords.field));
    if (said !== "") add(at, ` - ${said}`);
  };
  for (const [at, parameter] of shown.entries()) {
    if (!add(at, `  ${parameterText(parameter, { root })}`)) break;
    if (parameter.required && at < maxMeaningsFirst) addMeaning(parameter, at);
  }
  for (const [at, parameter] of shown.slice(0, lines.length).entries()) {
    if (!parameter.required || at >= maxMeaningsFirst) addMeaning(parameter, at);
  }
  return [head, ...lines, noteOf(all.length - lines.length)].join("\n");
}

/** Words may be of any length. */
function clipText(text: string): string {
  return text.length > maxTextCharacters ? `${text.slice(0, maxTextCharacters)}…` : text;
}

const maxTextCharacters = 400;

function singleSpaced(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
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

function meaning(schema: JsonSchema): string {
  const description = schema["description"];
  // A line break in a description could fake the line of another field.
  return typeof description === "string" ? singleSpaced(description) : "";
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
