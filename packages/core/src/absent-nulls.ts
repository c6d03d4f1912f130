import { isObject } from "./is-object.ts";
import type { JsonSchema } from "./json-schema.ts";

/** Maximum number of visited schemas. A schema of another server may branch without end; beyond this limit the value is returned unchanged. */
const maxVisits = 20_000;
const maxDepth = 100;

/**
 * Removes each optional field that holds null where its schema does not allow null. Models in strict mode send null for every optional field.
 * Fields that the schema does not name are kept.
 *
 * @param schema called only if the value holds a null
 * @returns the same value if nothing is removed
 */
export function withoutAbsentNulls(value: unknown, schema: () => JsonSchema): unknown {
  if (!holdsNull(value)) return value;
  const walk = new SchemaWalk(schema());
  const cleaned = walk.clean(value, [walk.root], 0);
  return walk.isExhausted ? value : cleaned;
}

function holdsNull(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (next === null) return true;
    if (typeof next === "object" && next !== undefined) for (const child of Object.values(next)) open.push(child);
  }
  return false;
}

class SchemaWalk {
  readonly root: JsonSchema;
  #visits = 0;

  constructor(root: JsonSchema) {
    this.root = root;
  }

  get isExhausted(): boolean {
    return this.#visits > maxVisits;
  }

  /** @param schemas every schema that may apply to the value */
  clean(value: unknown, schemas: readonly unknown[], depth: number): unknown {
    if (value === null || typeof value !== "object" || depth > maxDepth || this.isExhausted) return value;
    const nodes = schemas.flatMap((schema) => this.#alternatives(schema, value, depth));
    if (Array.isArray(value)) {
      const items = value.map((item, at) =>
        this.clean(
          item,
          nodes.flatMap((node) => itemSchema(node, at)),
          depth + 1,
        ),
      );
      return items.every((item, at) => item === value[at]) ? value : items;
    }
    const entries = Object.entries(value);
    const kept = entries.flatMap(([name, field]): [string, unknown][] => {
      if (field === null) return this.#isAbsent(name, nodes, depth) ? [] : [[name, field]];
      const named = nodes.flatMap((node) => propertySchema(node, name));
      const schemasOfField = named.length > 0 ? named : nodes.flatMap((node) => node["additionalProperties"] ?? []);
      return [[name, this.clean(field, schemasOfField, depth + 1)]];
    });
    const isSame = kept.length === entries.length && kept.every(([, field], at) => field === entries[at]?.[1]);
    return isSame ? value : Object.fromEntries(kept);
  }

  #isAbsent(name: string, nodes: readonly JsonSchema[], depth: number): boolean {
    const named = nodes.flatMap((node) => propertySchema(node, name));
    const isRequired = nodes.some(({ required }) => Array.isArray(required) && required.includes(name));
    return named.length > 0 && !isRequired && !named.some((schema) => this.#admitsNull(schema, depth));
  }

  /** The schema and every schema that it is composed of. Branches of a union that cannot match the value are left out. */
  #alternatives(schema: unknown, value: object, depth: number): readonly JsonSchema[] {
    this.#visits += 1;
    if (!isObject(schema) || this.isExhausted || depth > maxDepth) return [];
    const { $ref, anyOf, oneOf, allOf } = schema;
    const forms = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
    const matching = forms.filter((form) => this.#mayMatch(form, value));
    const parts = [...matching, ...(Array.isArray(allOf) ? allOf : []), ...this.#target($ref)];
    return [schema, ...parts.flatMap((part) => this.#alternatives(part, value, depth + 1))];
  }

  /** False if a constant of the branch, such as its `kind`, differs from the value's. */
  #mayMatch(form: unknown, value: object): boolean {
    const node = isObject(form) ? (this.#target(form["$ref"])[0] ?? form) : form;
    if (!isObject(node) || !isObject(node["properties"])) return true;
    return Object.entries(node["properties"]).every(([name, property]) => {
      if (!isObject(property) || !Object.hasOwn(value, name)) return true;
      const actual = (value as Readonly<Record<string, unknown>>)[name];
      const constants = "const" in property ? [property["const"]] : property["enum"];
      return actual === null || !Array.isArray(constants) || constants.includes(actual);
    });
  }

  #admitsNull(schema: unknown, depth: number): boolean {
    this.#visits += 1;
    if (schema === true) return true;
    if (!isObject(schema)) return false;
    if (this.isExhausted || depth > maxDepth) return true;
    const { type, enum: values, anyOf, oneOf, allOf, $ref } = schema;
    if ("const" in schema) return schema["const"] === null;
    if (Array.isArray(values)) return values.includes(null);
    if (type !== undefined) return type === "null" || (Array.isArray(type) && type.includes("null"));
    const admits = (one: unknown) => this.#admitsNull(one, depth + 1);
    const forms = anyOf ?? oneOf;
    if (Array.isArray(forms)) return forms.some(admits);
    return [...(Array.isArray(allOf) ? allOf : []), ...this.#target($ref)].every(admits);
  }

  /** The schema that a `$ref` points to. Empty for a reference out of the document. */
  #target($ref: unknown): readonly unknown[] {
    if (typeof $ref !== "string" || !$ref.startsWith("#")) return [];
    let node: unknown = this.root;
    for (const part of $ref.slice(1).split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (node === null || typeof node !== "object" || !Object.hasOwn(node, name)) return [];
      node = (node as Readonly<Record<string, unknown>>)[name];
    }
    return [node];
  }
}

function itemSchema({ prefixItems, items }: JsonSchema, at: number): readonly unknown[] {
  const own: unknown = Array.isArray(prefixItems) ? prefixItems[at] : undefined;
  return [own ?? items ?? []].flat();
}

function propertySchema({ properties }: JsonSchema, name: string): readonly unknown[] {
  return isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
}
