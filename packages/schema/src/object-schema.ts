import type { z } from "zod";
import { isObject } from "./is-object.ts";

/**
 * A schema of zod 4.1 or newer. The type is structural, because TypeScript treats equal classes of two zod versions as different types.
 */
export interface Schema {
  readonly _zod: {
    readonly def: { readonly type: string };
    readonly input: unknown;
    readonly output: unknown;
  };
}

/** An object schema of zod 4.1 or newer. */
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
 * Checks that an author passed a zod 4 schema.
 *
 * @param place the place of the schema, such as `tool note_add: input`
 * @throws Error naming the place
 */
export function checkSchema(schema: Schema, place: string): void {
  const value: unknown = schema;
  if (isObject(value)) {
    if ("_zod" in value) return;
    if ("_def" in value) {
      throw new Error(`${place} is a zod 3 schema; toolpacks needs zod ^4.1 (npm install zod@4)`);
    }
  }
  throw new Error(`${place}: expected a zod schema, such as z.object({ … })`);
}

/** Checks that an author passed a zod 4 object schema. @throws Error naming the place */
export function checkObjectSchema(schema: ObjectSchema, place: string): void {
  checkSchema(schema, place);
  const type: string = schema._zod.def.type;
  if (type !== "object") throw new Error(`${place}: expected z.object({ … }), received a schema of type ${type}`);
}

/** Casts a schema to the types of our zod. The functions of `z.core` accept schemas of every zod 4. */
export function coreObject(schema: ObjectSchema): z.core.$ZodObject {
  return schema as unknown as z.core.$ZodObject;
}

/** The names of an object schema's fields. */
export function fieldNames(schema: ObjectSchema): readonly string[] {
  return Object.keys(schema._zod.def.shape);
}
