import type { JsonSchema, Tool } from "@toolpacks/core";
import { typesOf } from "@toolpacks/schema";
import { propertiesOf, walkSchema, type SchemaNode } from "../schema-walk.ts";

const rootCombinators = ["anyOf", "oneOf", "allOf", "not", "if", "enum", "const", "$ref"] as const;
const safeInteger = Number.MAX_SAFE_INTEGER;

/** Formats whose pattern limits the length. */
const shortFormats = new Set(["uuid", "guid", "date", "date-time", "time", "ipv4", "ipv6", "nanoid", "cuid2", "ulid"]);

/** Checks that schemas are slim, and that the root is an object without a combinator: some providers reject the whole list otherwise. */
export function schemaProblems(tools: readonly Tool[]): readonly string[] {
  return tools.flatMap((tool) => [
    ...oneSchemaProblems(`${tool.name}: input`, tool.input.json()),
    ...(tool.output === undefined ? [] : oneSchemaProblems(`${tool.name}: output`, tool.output.json())),
  ]);
}

function oneSchemaProblems(place: string, schema: JsonSchema): readonly string[] {
  const problems: string[] = [];
  if (schema["type"] !== "object") problems.push(`${place}: root: expected type object`);
  for (const keyword of rootCombinators) {
    if (keyword in schema) problems.push(`${place}: root: ${keyword} is not accepted by every provider`);
  }
  for (const node of walkSchema(schema)) {
    for (const noise of noiseOf(node)) problems.push(`${place}: ${node.path === "" ? "root" : node.path}: ${noise}`);
  }
  return problems;
}

function noiseOf({ schema, property }: SchemaNode): readonly string[] {
  const noise: string[] = [];
  if ("$schema" in schema) noise.push("$schema is not slim");
  if (typeof schema["additionalProperties"] === "boolean") noise.push("additionalProperties is not slim");
  if (schema["maximum"] === safeInteger || schema["minimum"] === -safeInteger)
    noise.push("safe-integer bounds are not slim");
  if (property !== undefined && schema["title"] === property) noise.push("a title that repeats the name is not slim");
  const reference = schema["$ref"];
  if (typeof reference === "string" && !reference.startsWith("#")) noise.push(`$ref leaves the schema: ${reference}`);
  return noise;
}

/**
 * Checks that zod inputs limit strings and arrays, and that their nested objects are strict, so that neither a
 * huge argument nor a misspelt field is accepted. JSON Schema from other sources is not checked: the author cannot change it.
 */
export function inputLimitProblems(tools: readonly Tool[]): readonly string[] {
  return tools.flatMap((tool) => (tool.input.zod === undefined ? [] : limitProblems(tool.name, tool.input.full())));
}

function limitProblems(tool: string, schema: JsonSchema): readonly string[] {
  const problems: string[] = [];
  for (const { schema: node, path } of walkSchema(schema)) {
    const place = `${tool}: ${path === "" ? "args" : path}`;
    const types = typesOf({ type: node["type"] });
    if (types.includes("string") && !isBoundedString(node)) problems.push(`${place}: a string without .max()`);
    if (types.includes("array") && !isBoundedArray(node)) problems.push(`${place}: an array without .max()`);
    const strict = node["additionalProperties"] === false;
    if (propertiesOf(node).length > 0 && !strict) problems.push(`${place}: an object that is not z.strictObject`);
  }
  return problems;
}

function isBoundedString(node: JsonSchema): boolean {
  return "maxLength" in node || "enum" in node || "const" in node || shortFormats.has(String(node["format"]));
}

function isBoundedArray(node: JsonSchema): boolean {
  return "maxItems" in node || ("prefixItems" in node && node["items"] === false);
}
