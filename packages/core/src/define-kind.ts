import {
  checkObjectSchema,
  fieldNames,
  type ObjectSchema,
  type SchemaInput,
  type SchemaOutput,
} from "@toolpacks/schema";
import type { Kind } from "./store.ts";

/** The argument of `defineKind`: a kind as its author writes it. */
export interface KindDefinition<Schema extends ObjectSchema> extends Partial<
  Omit<Kind<Schema>, "name" | "schema" | "summary" | "close">
> {
  readonly name: string;
  /** The schema, or a function that creates it at the first use, so that a server starts faster. */
  readonly schema: Schema | (() => Schema);
  /** The fields that lists show. Default: every field. */
  readonly summary?: readonly (keyof SchemaOutput<Schema> & string)[];
  /** The fields that closing sets, or a function that returns them. Default: closing changes no field. */
  readonly close?: Partial<SchemaInput<Schema>> | Kind<Schema>["close"];
}

/** The pattern of a kind's name. Drivers use the name in the names of tables. */
export const kindNamePattern = /^[a-z][a-z0-9_]{0,39}$/;

/** Names of values that the store itself keeps for each record. */
export const reservedFields = ["id", "generation", "closed", "workspace"] as const;

/**
 * Defines a record type.
 *
 * @throws Error when the name is invalid, the owner is not indexed, or a field has a reserved name. If `schema` is a function, reserved names are
 *   checked at its first use.
 */
export function defineKind<Schema extends ObjectSchema>(definition: KindDefinition<Schema>): Kind<Schema> {
  const { name, close, description = name, indexes = [], text = [], owner } = definition;
  const { meaning = [], sealed = false, hidden = [], keywords = [], examples = [] } = definition;
  if (!kindNamePattern.test(name)) {
    throw new Error(`kind "${name}": expected a lower-case name, at most 40 characters of a-z, 0-9 and _`);
  }
  if (owner !== undefined && !indexes.flat().includes(owner)) {
    throw new Error(`kind ${name}: owner: ${owner} is not an indexed field`);
  }
  let made = typeof definition.schema === "function" ? undefined : checkFields(name, definition.schema);
  const schema = () => (made ??= checkFields(name, (definition.schema as () => Schema)()));
  return {
    ...definition,
    description,
    get schema() {
      return schema();
    },
    indexes,
    text,
    meaning,
    get summary() {
      return definition.summary ?? fieldNames(schema());
    },
    close: typeof close === "function" ? close : () => close ?? {},
    sealed,
    hidden,
    keywords,
    examples,
  };
}

function checkFields<Schema extends ObjectSchema>(name: string, schema: Schema): Schema {
  checkObjectSchema(schema, `kind ${name}: schema`);
  const reserved = reservedFields.find((field) => fieldNames(schema).includes(field));
  if (reserved === undefined) return schema;
  throw new Error(`kind ${name}: ${reserved} is a field of the store; use another name`);
}
