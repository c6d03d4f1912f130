import { z } from "zod";
import { toJsonSchema, coreObject, inputSchema } from "@toolpacks/schema";
import {
  type JsonSchema,
  type ObjectSchema,
  type ToolSchema,
  type FieldPath,
  type Kind,
  type IndexedField,
  isObject,
} from "@toolpacks/core";
import type { KindLayout } from "./driver.ts";

/** A compiled kind: its layout for the driver, and the schemas that check its records. */
export interface CompiledKind {
  readonly kind: Kind;
  readonly layout: KindLayout;
  /** Every indexed field by its path. */
  readonly fields: ReadonlyMap<string, IndexedField>;
  readonly schema: ToolSchema;
  /** The schema that the data of a stored record must match. */
  readonly stored: z.core.$ZodObject;
}

const compiled = new WeakMap<Kind, CompiledKind>();

/**
 * Compiles a kind, once.
 *
 * @throws Error when an indexed or text field is not in the schema or has an unsupported type, or a field of `meaning` is not in `text`
 */
export function compileKind(kind: Kind): CompiledKind {
  const known = compiled.get(kind);
  if (known !== undefined) return known;
  const schema = describeSchema(kind.schema);
  const field = (path: FieldPath): IndexedField => ({ path, type: indexedType(kind, schema, path) });
  const indexes = kind.indexes.map((entry) => (typeof entry === "string" ? [field(entry)] : entry.map(field)));
  for (const index of indexes) {
    const array = index.find(({ type }) => isArrayType(type));
    if (index.length > 1 && array !== undefined) {
      throw new Error(`kind ${kind.name}: ${array.path} is an array, and is indexed on its own`);
    }
  }
  for (const path of kind.text) checkText(kind, schema, path);
  const unsearched = kind.meaning.find((path) => !kind.text.includes(path));
  if (unsearched !== undefined) throw new Error(`kind ${kind.name}: meaning: ${unsearched} must be a text field`);
  const fields = new Map(indexes.flat().map((one) => [one.path, one]));
  const result = {
    kind,
    fields,
    layout: { name: kind.name, indexes: unique(indexes), text: kind.text },
    schema: inputSchema(kind.schema),
    stored: looseObject(kind.schema),
  };
  compiled.set(kind, result);
  return result;
}

/** The information about a kind that a caller needs to put and query its records. */
export interface KindFacts {
  /** The schema of a record, with every limit. */
  readonly schema: JsonSchema;
  /** The fields that filters and sorts can use, besides `id`. */
  readonly indexed: readonly IndexedField[];
}

/** @throws Error when the kind's declaration contradicts its schema */
export function describeKind(kind: Kind): KindFacts {
  const { schema, fields } = compileKind(kind);
  return { schema: schema.full(), indexed: [...fields.values()] };
}

function looseObject(schema: ObjectSchema): z.core.$ZodObject {
  return z.core.clone(coreObject(schema), { ...coreObject(schema)._zod.def, catchall: z.unknown() });
}

export function isArrayType(type: string): boolean {
  return type === "strings" || type === "numbers";
}

/** The schema as JSON Schema. Types that JSON Schema lacks become `{}`; an index on such a field is rejected. */
function describeSchema(schema: ObjectSchema): JsonSchema {
  return toJsonSchema(coreObject(schema), "output", "any");
}

function indexedType(kind: Kind, schema: JsonSchema, path: FieldPath): IndexedField["type"] {
  const field = fieldSchema(schema, path);
  const type = field && scalarType(field);
  if (type !== undefined) return type;
  const item = field && nonNull(field)["type"] === "array" ? scalarType(asSchema(nonNull(field)["items"])) : undefined;
  if (item === "string" || item === "number") return `${item}s`;
  throw new Error(
    `kind ${kind.name}: indexes: ${path} must be a string, number or boolean of the schema, or an array of strings or numbers`,
  );
}

function checkText(kind: Kind, schema: JsonSchema, path: FieldPath): void {
  const field = fieldSchema(schema, path);
  const type = field && (scalarType(field) ?? scalarType(asSchema(nonNull(field)["items"])));
  if (type !== "string") throw new Error(`kind ${kind.name}: text: ${path} must be a string of the schema, or strings`);
}

function fieldSchema(schema: JsonSchema, path: FieldPath): JsonSchema | undefined {
  let node: JsonSchema | undefined = schema;
  for (const name of path.split(".")) {
    const properties = asSchema(nonNull(node)["properties"]);
    if (!Object.hasOwn(properties, name)) return undefined;
    node = asSchema(properties[name]);
  }
  return node;
}

function scalarType(schema: JsonSchema): "string" | "number" | "boolean" | undefined {
  const { type, const: constant, enum: values, anyOf } = nonNull(schema);
  if (type === "string" || type === "number" || type === "boolean") return type;
  if (type === "integer") return "number";
  const examples = Array.isArray(values) ? values : constant === undefined ? [] : [constant];
  const branches = Array.isArray(anyOf) ? anyOf.map((branch) => scalarType(asSchema(branch))) : examples.map(typeName);
  return branches.length > 0 && branches.every((branch) => branch === branches[0]) ? branches[0] : undefined;
}

function typeName(value: unknown): "string" | "number" | "boolean" | undefined {
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : undefined;
}

/** The schema of a nullable field without null. */
function nonNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (Array.isArray(type)) {
    const [only, ...others] = type.filter((one) => one !== "null");
    return others.length === 0 ? { ...schema, type: only as unknown } : schema;
  }
  if (!Array.isArray(schema["anyOf"])) return schema;
  const branches = schema["anyOf"].map(asSchema).filter((branch) => branch["type"] !== "null");
  return branches.length === 1 && branches[0] !== undefined ? branches[0] : { anyOf: branches };
}

function asSchema(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

function unique(indexes: readonly (readonly IndexedField[])[]): readonly (readonly IndexedField[])[] {
  return [...new Map(indexes.map((index) => [index.map(({ path }) => path).join(), index])).values()];
}
