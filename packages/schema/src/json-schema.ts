import { z } from "zod";
import { detailKeyword, listedKeyword, unlistedKeyword } from "./detail.ts";
import { isObject } from "./is-object.ts";

/** A JSON Schema document, as MCP messages carry it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Limits from these values on prevent abuseLimits. They do not help a caller, so lists leave them out. */
const abuseLimits = { characters: 200, items: 50, number: 1_000_000 } as const;

/** Keywords whose value maps names to schemas. The names are chosen by the author and are not keywords. */
const namedChildren = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords whose value is data, which is not changed. */
const dataKeywords = new Set(["const", "default", "enum", "examples", "required"]);

/**
 * Converts a zod schema to a JSON Schema with every limit.
 *
 * @throws Error when zod cannot express the schema (dates, bigints, custom types) and `unrepresentable` is not `any`.
 */
export function toJsonSchema(
  schema: z.core.$ZodType,
  io: "input" | "output",
  unrepresentable: "throw" | "any" = "throw",
): JsonSchema {
  return z.toJSONSchema(schema, { io, target: "draft-2020-12", metadata, unrepresentable }) as JsonSchema;
}

/** A registry of descriptions and other metadata. A schema of another copy of zod may have them in the registry of that copy. */
const metadata = {
  get: (schema: z.core.$ZodType) => z.globalRegistry.get(schema) ?? (schema as Partial<z.ZodType>).meta?.(),
} as typeof z.globalRegistry;

/**
 * Reduces a JSON Schema to what a tool list needs. Removes `$schema`, a boolean `additionalProperties`, titles that repeat a name, and limits that
 * no caller exceeds by accident (safe integers, `minimum: 0`, `minLength: 1`, a `maxLength` in the hundreds), and the pattern of a known `format`. Replaces fields by their `listed` schema.
 * Calls are validated against the full schema.
 */
export function slimJsonSchema(schema: JsonSchema): JsonSchema {
  return slimNode(schema, undefined) as JsonSchema;
}

function slimNode(node: unknown, name: string | undefined): unknown {
  if (Array.isArray(node)) return node.map((item) => slimNode(item, undefined));
  if (!isObject(node)) return node;
  const listed = node[listedKeyword];
  if (isObject(listed)) return slimNode(listed, name);
  const slim: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node)) {
    if (isNoise(keyword, value, name) || isDetail(keyword, node)) continue;
    if (dataKeywords.has(keyword)) slim[keyword] = value;
    else if (namedChildren.has(keyword)) slim[keyword] = slimChildren(value);
    else slim[keyword] = slimNode(value, undefined);
  }
  return slim;
}

function isDetail(keyword: string, node: Readonly<Record<string, unknown>>): boolean {
  // The pattern that zod adds to a format says the same in up to 200 characters.
  if (keyword === "pattern") return /^(date|time|email|uuid)/.test(String(node["format"]));
  if (!(detailKeyword in node) || node[detailKeyword] !== true) return false;
  return keyword === "description" || keyword === detailKeyword;
}

function slimChildren(children: unknown): unknown {
  if (!isObject(children)) return children;
  const listed = Object.entries(children).filter(([, child]) => !isObject(child) || child[unlistedKeyword] !== true);
  return Object.fromEntries(listed.map(([name, child]) => [name, slimNode(child, name)]));
}

function isNoise(keyword: string, value: unknown, name: string | undefined): boolean {
  switch (keyword) {
    case "$schema":
    case "~standard":
      return true;
    case "additionalProperties":
      return typeof value === "boolean" || isEmptyObject(value);
    case "propertyNames":
      return JSON.stringify(slimNode(value, undefined)) === '{"type":"string"}';
    case "minLength":
    case "minItems":
      return value === 1;
    case "maxLength":
      return typeof value === "number" && value >= abuseLimits.characters;
    case "maxItems":
      return typeof value === "number" && value >= abuseLimits.items;
    case "maximum":
      return typeof value === "number" && value >= abuseLimits.number;
    case "minimum":
      return value === Number.MIN_SAFE_INTEGER || value === 0;
    case "title":
      return typeof value === "string" && name !== undefined && bare(value) === bare(name);
    default:
      return false;
  }
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function bare(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
