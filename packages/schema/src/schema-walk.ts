import { isObject } from "./is-object.ts";
import type { JsonSchema } from "./json-schema.ts";

/** Maximum number of schemas that one place is composed of. A schema of another server may branch and refer to itself without end. */
const maxBranches = 100;

/**
 * The schemas of a value at a path: unions, intersections and local references are followed. Empty if the document says nothing about the path.
 *
 * @param path names of fields and indexes of items, such as `["owner", "logins", "0"]`
 */
export function schemaAt(root: JsonSchema, path: readonly string[]): readonly JsonSchema[] {
  let branches = branchesOf(root, [root]);
  for (const part of path) branches = branchesOf(root, childSchemas(branches, part));
  return branches;
}

/**
 * The schemas and every schema that they are composed of, each once.
 *
 * @param value leaves out the branches of a union whose constants, such as a `kind`, the value does not have
 */
export function branchesOf(root: JsonSchema, schemas: readonly unknown[], value?: unknown): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const open = [...schemas].reverse();
  while (open.length > 0 && found.size < maxBranches) {
    const schema = open.pop();
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    const { $ref, anyOf, oneOf, allOf } = schema;
    const target = referenced(root, $ref);
    const forms = [...listOf(anyOf), ...listOf(oneOf)].slice(0, maxBranches);
    const possible = isObject(value) ? forms.filter((form) => hasConstants(root, form, value)) : forms;
    open.push(...[...possible, ...listOf(allOf).slice(0, maxBranches), target].reverse());
  }
  return [...found];
}

/** The schemas of a field or an item of values with the given schemas. */
export function childSchemas(branches: readonly JsonSchema[], part: string): readonly unknown[] {
  const named = branches.flatMap(({ properties }) => ownField(properties, part));
  if (named.length > 0) return named;
  return branches.flatMap(({ additionalProperties, prefixItems, items }) => {
    if (!/^\d+$/.test(part)) return [additionalProperties];
    return [additionalProperties, listOf(prefixItems)[Number(part)] ?? listOf(items)[Number(part)] ?? items];
  });
}

/** The schema that a reference such as `#/$defs/point` points to. Undefined for references of other forms. */
export function referenced(root: JsonSchema, $ref: unknown): unknown {
  if (typeof $ref !== "string" || !/^#(\/|$)/.test($ref)) return undefined;
  let node: unknown = root;
  for (const part of $ref.slice(1).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (node === null || typeof node !== "object" || !Object.hasOwn(node, name)) return undefined;
    node = (node as Readonly<Record<string, unknown>>)[name];
  }
  return node;
}

/** The types that a schema names by `type`, `const` or `enum`. Empty if it names none. */
export function typesOf(schema: JsonSchema): readonly string[] {
  if (schema["type"] !== undefined) return [schema["type"]].flat().filter((type) => typeof type === "string");
  return constantsOf(schema).map(typeOfValue);
}

/** The values of `enum` and `const`. */
export function constantsOf(schema: JsonSchema): readonly unknown[] {
  return [...listOf(schema["enum"]), ...("const" in schema ? [schema["const"]] : [])];
}

/** The JSON Schema name of a value's type. */
export function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function hasConstants(root: JsonSchema, form: unknown, value: JsonSchema): boolean {
  const schema = isObject(form) ? (referenced(root, form["$ref"]) ?? form) : form;
  if (!isObject(schema) || !isObject(schema["properties"])) return true;
  const { properties } = schema;
  return Object.entries(value).every(([name, actual]) => {
    const [property] = ownField(properties, name);
    const constants = isObject(property) ? constantsOf(property) : [];
    return actual === null || constants.length === 0 || constants.includes(actual);
  });
}

function ownField(fields: unknown, name: string): readonly unknown[] {
  return isObject(fields) && Object.hasOwn(fields, name) ? [fields[name]] : [];
}
