import { z } from "zod";
import { withoutAbsentNulls } from "./absent-nulls.ts";
import { slimJsonSchema, toJsonSchema, type JsonSchema } from "./json-schema.ts";
import { withListFields } from "./list-fields.ts";
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
   * Checks a value. In an input made from zod, null in an optional field counts as absent, and one item in place of a list as a list of it, also if the
   * name is singular: `id` for `ids`.
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
  const parse = (value: unknown) => {
    const parsed = z.core.safeParse(core, value);
    const corrected = parsed.success || io === "output" ? undefined : withListFields(value, core);
    const again = corrected && z.core.safeParse(core, corrected);
    return again?.success === true ? { cleaned: corrected, parsed: again } : { cleaned: value, parsed };
  };
  return {
    zod: schema,
    full,
    json: () => (json ??= slimJsonSchema(full())),
    check(value, pending = []) {
      const { cleaned, parsed } = parse(io === "input" ? withoutAbsentNulls(value, lenientSchema) : value);
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
function droppedField(input: unknown, output: unknown): readonly string[] | undefined {
  // If the schema returned the same object, no field was removed.
  if (input === null || typeof input !== "object" || input === output) return undefined;
  const parsed = output !== null && typeof output === "object" ? output : {};
  if (Object.hasOwn(input, droppedKey) && !Object.hasOwn(parsed, droppedKey)) return [droppedKey];
  for (const [key, inner] of Object.entries(input)) {
    const found = Object.hasOwn(parsed, key) ? droppedField(inner, Reflect.get(parsed, key)) : undefined;
    if (found !== undefined) return [key, ...found];
  }
  return undefined;
}

/** Whether an issue is about a pending value, or about a union that contains the pending value. */
function isAbout({ code, path }: z.core.$ZodIssue, pending: readonly string[]): boolean {
  const isOfUnion = code === "invalid_union" && path.every((part, at) => String(part) === pending[at]);
  return isOfUnion || pending.every((part, at) => String(path[at]) === part);
}
