import {
  checkObjectSchema,
  fieldNames,
  type ObjectSchema,
  type SchemaInput,
  type SchemaOutput,
} from "../object-schema.ts";
import type { Store, Stored } from "./store.ts";

/** A record as it is kept: JSON. */
export type RecordData = Readonly<Record<string, unknown>>;

/** What a kind's close function is told. */
export interface Closing {
  /** What whoever closes says of it. */
  readonly note: string | undefined;
  /** The time, as ISO 8601 in UTC. */
  readonly now: string;
}

/** A write that a kind's rule looks at, inside the writing transaction. */
export interface Change<Data = RecordData> {
  readonly operation: "put" | "close" | "reopen" | "delete";
  readonly id: string;
  /** The record as it is; undefined when it is new. */
  readonly before: Stored<Data> | undefined;
  /** The record as it would be written, checked against the schema. On `delete`, as it is. */
  readonly after: Data;
  /** Whether it would then be closed. */
  readonly closed: boolean;
  /** The time, as ISO 8601 in UTC. */
  readonly now: string;
  /** The same transaction. Writes through it run no rules: a rule that changes neighbours has checked them itself. */
  readonly store: Store;
}

/** What a rule makes of a change; what it leaves out stays as proposed. */
export interface Ruling<Data = RecordData> {
  readonly record?: Data;
  readonly closed?: boolean;
}

/** Deprecated tools of a kind. They stay callable, are never listed or found, and answer with a hint to the new door. */
export interface KindAliases {
  /** Takes the record's fields: `reminder_add {text, due}`. */
  readonly put?: readonly string[];
  /** Takes what `store_query` takes, without `kind`. */
  readonly query?: readonly string[];
  /** Takes `{id, note?}`. */
  readonly close?: readonly string[];
}

/** A field, or a dotted path into nested objects: `owner.name`. */
export type FieldPath = string;

/** A record type in the store. Made by `defineKind`. */
export interface Kind<Schema extends ObjectSchema = ObjectSchema> {
  /** Lower-case, singular, at most 40 characters: `issue`. */
  readonly name: string;
  /** One line: what a record is. */
  readonly description: string;
  /** Checks each record before it is written. Keys it does not name are refused, unless it is a `z.looseObject`. */
  readonly schema: Schema;
  /**
   * What filters and sorts may name: strings, numbers, booleans, and arrays of them. Several fields in one entry are
   * indexed together, for queries that filter by the first and sort by the next.
   */
  readonly indexes: readonly (FieldPath | readonly FieldPath[])[];
  /** What full text covers. The first one counts double. */
  readonly text: readonly FieldPath[];
  /** What lists show, in this order. */
  readonly summary: readonly string[];
  /** The fields that closing sets over the record. Default: none. */
  close(record: SchemaOutput<Schema>, closing: Closing): Partial<SchemaInput<Schema>>;
  /**
   * Runs inside the transaction of every write to a record of this kind, through whichever door it comes. It may
   * change what is written, write other records, or refuse by throwing a ToolError, which undoes the whole transaction.
   */
  rule?(
    change: Change<SchemaOutput<Schema>>,
  ): Ruling<SchemaOutput<Schema>> | void | Promise<Ruling<SchemaOutput<Schema>> | void>;
  /** Names a record that is put without an id, inside the transaction. Default: see `newRecordId`. */
  newId?(record: SchemaOutput<Schema>, store: Store): string | Promise<string>;
  /** Its records are its pack's to write: the generic tools read them, and refuse to write them. */
  readonly sealed: boolean;
  /** Fields that the generic tools do not show, since only its pack shows them without secrets. */
  readonly hidden: readonly string[];
  readonly aliases: KindAliases;
  /** Words people use for it or for what is done with it, that its name lacks. */
  readonly keywords: readonly string[];
  /** Records as a caller would put them. */
  readonly examples: readonly RecordData[];
}

/** A kind as its author writes it. */
export interface KindDefinition<Schema extends ObjectSchema> extends Partial<
  Pick<
    Kind<Schema>,
    "description" | "indexes" | "text" | "rule" | "newId" | "sealed" | "hidden" | "aliases" | "keywords" | "examples"
  >
> {
  readonly name: string;
  /** Or a function that makes it, called at its first use: a server's start then pays for no schema. */
  readonly schema: Schema | (() => Schema);
  /** Default: every field. */
  readonly summary?: readonly (keyof SchemaOutput<Schema> & string)[];
  /** The fields that closing sets, or a function that makes them. Default: closing changes no field. */
  readonly close?: Partial<SchemaInput<Schema>> | Kind<Schema>["close"];
}

/** What a kind's name is made of. Drivers build the names of tables from it. */
export const kindNamePattern = /^[a-z][a-z0-9_]{0,39}$/;

/** What the store itself keeps of a record, beside its fields. */
export const reservedFields = ["id", "generation", "closed", "workspace"] as const;

/**
 * Defines a record type.
 *
 * @throws Error when the name is not lower-case, a sealed kind has deprecated tools that write, or a field has a name that the store keeps for itself; the latter at the first use of a
 *   schema that a function makes.
 */
export function defineKind<Schema extends ObjectSchema>(definition: KindDefinition<Schema>): Kind<Schema> {
  const { name, close, description = name, indexes = [], text = [], aliases = {} } = definition;
  if (!kindNamePattern.test(name)) {
    throw new Error(`kind "${name}": expected a lower-case name, at most 40 characters of a-z, 0-9 and _`);
  }
  if (definition.sealed === true && (aliases.put ?? aliases.close) !== undefined) {
    throw new Error(`kind ${name}: it is sealed, and has no tools that write it`);
  }
  let made = typeof definition.schema === "function" ? undefined : checkFields(name, definition.schema);
  const schema = () => (made ??= checkFields(name, (definition.schema as () => Schema)()));
  return {
    name,
    description,
    get schema() {
      return schema();
    },
    indexes,
    text,
    get summary() {
      return definition.summary ?? fieldNames(schema());
    },
    close: typeof close === "function" ? close : () => close ?? {},
    ...(definition.rule && { rule: definition.rule }),
    ...(definition.newId && { newId: definition.newId }),
    sealed: definition.sealed ?? false,
    hidden: definition.hidden ?? [],
    aliases,
    keywords: definition.keywords ?? [],
    examples: definition.examples ?? [],
  };
}

function checkFields<Schema extends ObjectSchema>(name: string, schema: Schema): Schema {
  checkObjectSchema(schema, `kind ${name}: schema`);
  const reserved = reservedFields.find((field) => fieldNames(schema).includes(field));
  if (reserved === undefined) return schema;
  throw new Error(`kind ${name}: ${reserved} is kept by the store; name the field otherwise`);
}
