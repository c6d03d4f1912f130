import { createHash } from "node:crypto";
import { canonicalJson, isObject } from "@toolpacks/core";

/** The hash of a text, ignoring differences in whitespace. */
export function textHash(text: string): string {
  return hash(singleSpaced(text));
}

/** The hash of a schema, ignoring the order of fields and of `required`, whitespace in descriptions, and the dialect. */
export function schemaHash(schema: unknown): string {
  return hash(normalized(withoutDialect(schema)));
}

const dialect = /^https?:\/\/json-schema\.org\/(?:draft-0[3-7]|draft\/20\d\d-\d\d)\/schema#?$/;

/** Removes `$schema` at the root. Deeper it may be the name of a parameter. */
function withoutDialect(schema: unknown): unknown {
  if (!isObject(schema) || typeof schema["$schema"] !== "string" || !dialect.test(schema["$schema"])) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** Fields whose values are compared exactly. */
const literalFields: ReadonlySet<string> = new Set(["default", "const", "enum", "example", "examples"]);

function normalized(value: unknown, field?: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((inner) => normalized(inner));
    return field === "required" && items.every((one) => typeof one === "string") ? items.sort() : items;
  }
  if (typeof value === "string") return field === "description" || field === "title" ? singleSpaced(value) : value;
  if (!isObject(value)) return value ?? null;
  const fields = Object.entries(value);
  return Object.fromEntries(
    fields.map(([name, inner]) => [name, literalFields.has(name) ? inner : normalized(inner, name)]),
  );
}

function singleSpaced(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function hash(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
