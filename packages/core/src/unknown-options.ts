import type { z } from "zod";
import { describeIssues, isObject, type Schema } from "@toolpacks/schema";

/** The parts of a zod schema's definition that contain its fields. They are the same in every copy of zod 4. */
interface Definition {
  readonly type?: string;
  readonly shape?: Readonly<Record<string, SchemaNode>>;
  /** Present if an object schema defines what happens to unknown fields. */
  readonly catchall?: unknown;
  readonly innerType?: SchemaNode;
  readonly in?: SchemaNode;
}

interface SchemaNode {
  readonly _zod?: { readonly def?: Definition };
}

/**
 * The error for options that a schema would silently drop: unknown fields at any depth. Undefined if there are none.
 */
export function unknownOptions(schema: Schema, options: unknown): string | undefined {
  const issues = issuesOf(schema, options, []);
  return issues.length === 0 ? undefined : describeIssues(issues, schema);
}

function issuesOf(schema: SchemaNode, value: unknown, path: readonly string[]): readonly z.core.$ZodIssue[] {
  const shape = shapeOf(schema);
  if (shape === undefined || !isObject(value)) return [];
  const keys = Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
  const inner = Object.entries(shape).flatMap(([key, field]) => issuesOf(field, value[key], [...path, key]));
  if (keys.length === 0) return inner;
  return [{ code: "unrecognized_keys", keys, path: [...path], message: "", input: value }, ...inner];
}

/** The fields of an object schema that drops unknown fields. Undefined for any other schema. */
function shapeOf(schema: SchemaNode): Definition["shape"] {
  const { type, shape, catchall, innerType, in: input } = schema._zod?.def ?? {};
  if (type === "object") return catchall === undefined ? shape : undefined;
  const inner = innerType ?? input;
  return inner === undefined ? undefined : shapeOf(inner);
}
