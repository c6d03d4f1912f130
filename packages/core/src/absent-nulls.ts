import { isObject } from "./is-object.ts";
import type { JsonSchema } from "./json-schema.ts";

/** A schema from elsewhere may branch without end. Beyond so many visited schemas the value is left as it is. */
const maxVisits = 20_000;
const maxDepth = 100;

/**
 * Takes null as absent: leaves out each field that holds null, is optional, and does not admit null. Models in a strict mode send null for every
 * optional field. Fields that the schema does not name are left alone.
 *
 * @param schema asked for only where the value holds a null
 * @returns the same value where nothing is left out
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

  /** @param schemas all those that may say something of the value */
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

  /** The schema and each that it is composed of, without the forms of a union that are surely not meant. */
  #alternatives(schema: unknown, value: object, depth: number): readonly JsonSchema[] {
    this.#visits += 1;
    if (!isObject(schema) || this.isExhausted || depth > maxDepth) return [];
    const { $ref, anyOf, oneOf, allOf } = schema;
    const forms = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
    const meant = forms.filter((form) => this.#mayBeMeant(form, value));
    const parts = [...meant, ...(Array.isArray(allOf) ? allOf : []), ...this.#target($ref)];
    return [schema, ...parts.flatMap((part) => this.#alternatives(part, value, depth + 1))];
  }

  /** A form is not meant where a constant of it, such as its `kind`, is another than the value's. */
  #mayBeMeant(form: unknown, value: object): boolean {
    const node = isObject(form) ? (this.#target(form["$ref"])[0] ?? form) : form;
    if (!isObject(node) || !isObject(node["properties"])) return true;
    return Object.entries(node["properties"]).every(([name, property]) => {
      if (!isObject(property) || !Object.hasOwn(value, name)) return true;
      const given = (value as Readonly<Record<string, unknown>>)[name];
      const constants = "const" in property ? [property["const"]] : property["enum"];
      return given === null || !Array.isArray(constants) || constants.includes(given);
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

  /** What a reference within the document leads to. */
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
