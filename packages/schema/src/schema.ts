import { z } from "zod";
import { isObject } from "./is-object.ts";
import { slimJsonSchema, toJsonSchema, type JsonSchema } from "./json-schema.ts";
import { coreObject, type ObjectSchema } from "./object-schema.ts";
import { describeIssues } from "./problems.ts";

/** The result of checking a value: the value for the handler, or a message that names every wrong field. */
export type CheckResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Paths of values that are not known yet. */
export type PendingPaths = readonly (readonly string[])[];

/** A schema as dispatch and the surfaces use it. It is made from a zod schema or a JSON Schema. */
export interface ToolSchema {
  /** The reduced JSON Schema for lists. Created once, at the first use. */
  json(): JsonSchema;
  /** The full JSON Schema with every limit, for a description of one tool. */
  full(): JsonSchema;
  /**
   * Checks a value. In an input, null in an optional field counts as absent.
   *
   * @param pending paths of values that are not known yet; their problems are ignored
   */
  check(value: unknown, pending?: PendingPaths): CheckResult | Promise<CheckResult>;
  /** The zod schema that it was made from. Absent if it was made from a JSON Schema. */
  readonly zod?: ObjectSchema;
}

/** Wraps a zod object schema of an input. Rejects unknown keys at its root, so that a misspelt field is never ignored. */
export function inputSchema(schema: ObjectSchema): ToolSchema {
  const { def } = coreObject(schema)._zod;
  const strict = z.core.clone(coreObject(schema), { ...def, catchall: def.catchall ?? z.never() });
  return zodSchema(strict, "input");
}

/** Wraps a zod object schema of a handler's result. Removes keys that the schema does not name. */
export function outputSchema(schema: ObjectSchema): ToolSchema {
  return zodSchema(schema, "output");
}

function zodSchema(schema: ObjectSchema, io: "input" | "output"): ToolSchema {
  const core = coreObject(schema);
  let json: JsonSchema | undefined;
  const full = () => toJsonSchema(core, io);
  let lenient: JsonSchema | undefined;
  const lenientSchema = () => (lenient ??= toJsonSchema(core, io, "any"));
  return {
    zod: schema,
    full,
    json: () => (json ??= slimJsonSchema(full())),
    check(value, pending = []) {
      const cleaned = io === "input" ? withoutAbsentNulls(value, lenientSchema) : value;
      const parsed = z.core.safeParse(core, cleaned);
      if (parsed.success) {
        const dropped = io === "input" ? droppedField(cleaned, parsed.data) : undefined;
        if (dropped === undefined) return { ok: true, value: parsed.data };
        return { ok: false, message: `${dropped.join(".")}: unknown field; no field may have this name` };
      }
      const issues = parsed.error.issues.filter((issue) => !pending.some((at) => isAbout(issue, at)));
      if (issues.length === 0) return { ok: true, value: cleaned };
      return { ok: false, message: describeIssues(issues, schema) };
    },
  };
}

/** A key that zod removes from every object that it parses. */
const droppedKey = "__proto__";

/**
 * The path of a field named `__proto__` that zod removed from a value. Undefined if there is none. Without this check, a filter on that name would
 * match everything.
 */
export function droppedField(value: unknown, checked: unknown): readonly string[] | undefined {
  const seen = new Set<unknown>();
  const open: { readonly value: unknown; readonly checked: unknown; readonly at: readonly string[] }[] = [
    { value, checked, at: [] },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: input, checked: output, at } = next;
    // If the schema returned the same object, no field was removed.
    if (input === null || typeof input !== "object" || input === output || seen.has(input)) continue;
    seen.add(input);
    const parsed = output !== null && typeof output === "object" ? output : {};
    if (Object.hasOwn(input, droppedKey) && !Object.hasOwn(parsed, droppedKey)) return [...at, droppedKey];
    for (const [key, inner] of Object.entries(input)) {
      if (inner === null || typeof inner !== "object" || !Object.hasOwn(parsed, key)) continue;
      open.push({ value: inner, checked: Reflect.get(parsed, key), at: [...at, key] });
    }
  }
  return undefined;
}

/** Whether an issue is about a pending value, or about a union that contains the pending value. */
function isAbout({ code, path }: z.core.$ZodIssue, pending: readonly string[]): boolean {
  const isOfUnion = code === "invalid_union" && path.every((part, at) => String(part) === pending[at]);
  return isOfUnion || pending.every((part, at) => String(path[at]) === part);
}

/** Maximum number of steps: one per schema, field, item or enumerated value that is looked at. Beyond it the value is returned unchanged. */
const maxSteps = 500_000;
const maxDepth = 100;

class WalkLimitExceeded extends Error {}

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
  try {
    return walk.clean(value, [walk.root], 0);
  } catch (error) {
    if (error instanceof WalkLimitExceeded) return value;
    throw error;
  }
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

/** A walk over a value and the schemas that may apply to it. An untrusted schema may branch and refer to itself without end. */
class SchemaWalk {
  readonly root: JsonSchema;
  /** The schemas that references point to. */
  readonly #targets = new Map<string, readonly unknown[]>();
  /** Whether each schema allows null. */
  readonly #allowNull = new Map<object, boolean>();
  #steps = 0;

  constructor(root: JsonSchema) {
    this.root = root;
  }

  /** @param schemas every schema that may apply to the value */
  clean(value: unknown, schemas: readonly unknown[], depth: number): unknown {
    if (value === null || typeof value !== "object" || depth > maxDepth) return value;
    const nodes = this.#alternatives(schemas, value);
    if (Array.isArray(value)) {
      const items = value.map((item, at) => {
        const ofItem = this.#each(nodes, (node) => itemSchema(node, at));
        return this.clean(item, ofItem, depth + 1);
      });
      return items.every((item, at) => item === value[at]) ? value : items;
    }
    const entries = Object.entries(value);
    const kept = entries.flatMap(([name, field]): [string, unknown][] => {
      const named = this.#each(nodes, (node) => propertySchema(node, name));
      if (field === null) return this.#isAbsent(name, named, nodes) ? [] : [[name, field]];
      const schemasOfField = named.length > 0 ? named : nodes.flatMap((node) => node["additionalProperties"] ?? []);
      return [[name, this.clean(field, schemasOfField, depth + 1)]];
    });
    const isSame = kept.length === entries.length && kept.every(([, field], at) => field === entries[at]?.[1]);
    return isSame ? value : Object.fromEntries(kept);
  }

  /** @throws WalkLimitExceeded */
  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw new WalkLimitExceeded();
  }

  #each(nodes: readonly JsonSchema[], find: (node: JsonSchema) => readonly unknown[]): readonly unknown[] {
    this.#spend(1 + nodes.length);
    return nodes.flatMap(find);
  }

  #isAbsent(name: string, named: readonly unknown[], nodes: readonly JsonSchema[]): boolean {
    const isRequired = nodes.some(({ required }) => Array.isArray(required) && this.#includes(required, name));
    return named.length > 0 && !isRequired && !named.some((schema) => this.#allowsNull(schema));
  }

  #includes(values: readonly unknown[], value: unknown): boolean {
    this.#spend(values.length);
    return values.includes(value);
  }

  /** The schemas and every schema that they are composed of, each once. Branches of a union that cannot match the value are left out. */
  #alternatives(schemas: readonly unknown[], value: object): readonly JsonSchema[] {
    const found = new Set<JsonSchema>();
    const open = [...schemas].reverse();
    while (open.length > 0) {
      const schema = open.pop();
      this.#spend(1);
      if (!isObject(schema) || found.has(schema)) continue;
      found.add(schema);
      const { $ref, anyOf, oneOf, allOf } = schema;
      const forms = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
      const matching = forms.filter((form) => this.#mayMatch(form, value));
      const parts = [...matching, ...(Array.isArray(allOf) ? allOf : []), ...this.#target($ref)];
      for (const part of parts.reverse()) open.push(part);
    }
    return [...found];
  }

  /** False if a constant of the branch, such as its `kind`, differs from the value's. */
  #mayMatch(form: unknown, value: object): boolean {
    const node = isObject(form) ? (this.#target(form["$ref"])[0] ?? form) : form;
    this.#spend(1);
    if (!isObject(node) || !isObject(node["properties"])) return true;
    const { properties } = node;
    const entries = Object.entries(value);
    this.#spend(entries.length);
    return entries.every(([name, actual]) => {
      const [property] = propertySchema({ properties }, name);
      if (!isObject(property)) return true;
      const constants = "const" in property ? [property["const"]] : property["enum"];
      return actual === null || !Array.isArray(constants) || this.#includes(constants, actual);
    });
  }

  #allowsNull(schema: unknown, depth = 0): boolean {
    this.#spend(1);
    if (schema === true) return true;
    if (!isObject(schema)) return false;
    if (depth > maxDepth) return true;
    const known = this.#allowNull.get(schema);
    if (known !== undefined) return known;
    // A schema that refers to itself keeps the null.
    this.#allowNull.set(schema, true);
    const allows = this.#hasNullForm(schema, depth);
    this.#allowNull.set(schema, allows);
    return allows;
  }

  #hasNullForm(schema: JsonSchema, depth: number): boolean {
    const { type, enum: values, anyOf, oneOf, allOf, $ref } = schema;
    if ("const" in schema) return schema["const"] === null;
    if (Array.isArray(values)) return this.#includes(values, null);
    if (type !== undefined) return type === "null" || (Array.isArray(type) && this.#includes(type, "null"));
    const allows = (one: unknown) => this.#allowsNull(one, depth + 1);
    const forms = anyOf ?? oneOf;
    if (Array.isArray(forms)) return forms.some(allows);
    return [...(Array.isArray(allOf) ? allOf : []), ...this.#target($ref)].every(allows);
  }

  /** The schema that a `$ref` points to. Empty for a reference out of the document. */
  #target($ref: unknown): readonly unknown[] {
    if (typeof $ref !== "string" || !$ref.startsWith("#")) return [];
    const known = this.#targets.get($ref) ?? this.#find($ref);
    this.#targets.set($ref, known);
    return known;
  }

  #find($ref: string): readonly unknown[] {
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
