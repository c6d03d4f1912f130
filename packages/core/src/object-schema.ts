import type { z } from "zod";

/**
 * A schema of any zod from 4.1 on. The type is structural, because TypeScript holds the classes of two zod versions apart even where they are
 * the same.
 */
export interface Schema {
  readonly _zod: {
    readonly def: { readonly type: string };
    readonly input: unknown;
    readonly output: unknown;
  };
}

/** A zod object of any zod from 4.1 on. */
export interface ObjectSchema extends Schema {
  readonly _zod: Schema["_zod"] & {
    readonly def: { readonly type: "object"; readonly shape: object };
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: Readonly<Record<string, unknown>>;
  };
}

export type SchemaInput<Of extends Schema> = Of["_zod"]["input"];
export type SchemaOutput<Of extends Schema> = Of["_zod"]["output"];

/**
 * Says what is wrong where an author passes something else than a zod 4 schema.
 *
 * @param place what the schema is for, such as `tool note_add: input`
 * @throws Error naming the place
 */
export function checkSchema(schema: Schema, place: string): void {
  const given: unknown = schema;
  if (given !== null && typeof given === "object") {
    if ("_zod" in given) return;
    if ("_def" in given) {
      throw new Error(`${place} is a zod 3 schema; toolpacks needs zod ^4.1 (npm install zod@4)`);
    }
  }
  throw new Error(`${place}: expected a zod schema, such as z.object({ … })`);
}

/** The same, for where the schema must be an object. */
export function checkObjectSchema(schema: ObjectSchema, place: string): void {
  checkSchema(schema, place);
  const type: string = schema._zod.def.type;
  if (type !== "object") throw new Error(`${place}: expected z.object({ … }), received a schema of type ${type}`);
}

/** The schema as the zod that this package was loaded with has it: the functions of `z.core` take objects of every zod 4. */
export function coreObject(schema: ObjectSchema): z.core.$ZodObject {
  return schema as unknown as z.core.$ZodObject;
}

/** The names of an object schema's fields. */
export function fieldNames(schema: ObjectSchema): readonly string[] {
  return Object.keys(schema._zod.def.shape);
}
