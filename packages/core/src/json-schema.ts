import { z } from "zod";
import { detailKeyword } from "./detail.ts";

/** A JSON Schema document, as it goes on the wire. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Bounds of at least these are there against abuse, not to tell a caller anything. */
const abuse = { characters: 200, items: 50, number: 1_000_000 } as const;

/** Keywords under which a schema's children are named by the author, and so are never keywords themselves. */
const namedChildren = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords whose value is data and is left as it is. */
const dataKeywords = new Set(["const", "default", "enum", "examples", "required"]);

/**
 * Converts a zod schema to JSON Schema with every limit in it.
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

/** Descriptions and other metadata. A schema of another copy of zod may keep them in that copy's registry. */
const metadata = {
  get: (schema: z.core.$ZodType) => z.globalRegistry.get(schema) ?? (schema as Partial<z.ZodType>).meta?.(),
} as typeof z.globalRegistry;

/**
 * Slims a JSON Schema to what a tool list needs of it: no `$schema`, no `additionalProperties` that only says yes or no, no
 * titles that repeat a name, and none of the bounds that nobody meets by accident (safe integers, `minimum: 0`,
 * `minLength: 1`, a `maxLength` in the hundreds). Every call is still checked against the whole schema.
 */
export function slimJsonSchema(schema: JsonSchema): JsonSchema {
  return slimNode(schema, undefined) as JsonSchema;
}

function slimNode(node: unknown, name: string | undefined): unknown {
  if (Array.isArray(node)) return node.map((item) => slimNode(item, undefined));
  if (node === null || typeof node !== "object") return node;
  const slim: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node)) {
    if (isNoise(keyword, value, name) || isDetail(keyword, node)) continue;
    if (dataKeywords.has(keyword)) slim[keyword] = value;
    else if (namedChildren.has(keyword)) slim[keyword] = slimChildren(value);
    else slim[keyword] = slimNode(value, undefined);
  }
  return slim;
}

function isDetail(keyword: string, node: object): boolean {
  if (!(detailKeyword in node) || node[detailKeyword] !== true) return false;
  return keyword === "description" || keyword === detailKeyword;
}

function slimChildren(children: unknown): unknown {
  if (children === null || typeof children !== "object") return children;
  return Object.fromEntries(Object.entries(children).map(([name, child]) => [name, slimNode(child, name)]));
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
      return typeof value === "number" && value >= abuse.characters;
    case "maxItems":
      return typeof value === "number" && value >= abuse.items;
    case "maximum":
      return typeof value === "number" && value >= abuse.number;
    case "minimum":
      return value === Number.MIN_SAFE_INTEGER || value === 0;
    case "title":
      return typeof value === "string" && name !== undefined && bare(value) === bare(name);
    default:
      return false;
  }
}

function isEmptyObject(value: unknown): boolean {
  return value !== null && typeof value === "object" && Object.keys(value).length === 0;
}

function bare(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
