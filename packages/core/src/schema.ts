import { z } from "zod";
import { withoutAbsentNulls } from "./absent-nulls.ts";
import { isObject } from "./is-object.ts";
import { slimJsonSchema, toJsonSchema, type JsonSchema } from "./json-schema.ts";
import { droppedField } from "./dropped-key.ts";
import { coreObject, type ObjectSchema } from "./object-schema.ts";
import { describeIssues } from "./problems.ts";
import { visibleText } from "./roots/quote-name.ts";
import { unknownField } from "./unknown-field.ts";

/** Outcome of checking a value: the value as the handler gets it, or every wrong field in one message. */
export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

export type Pending = readonly (readonly string[])[];

/** A schema as dispatch and the surfaces see it, whether it was written in zod or came as JSON Schema. */
export interface ToolSchema {
  /** The slim JSON Schema for lists. Made once, at first use. */
  json(): JsonSchema;
  /** The JSON Schema with every limit, for whoever asks about one tool. */
  full(): JsonSchema;
  /**
   * An input's optional fields take null as absent.
   *
   * @param pending paths of values that are not known yet: what is wrong with them is not told
   */
  check(value: unknown, pending?: Pending): Checked | Promise<Checked>;
  /** The zod schema it was made from, if it was. */
  readonly zod?: ObjectSchema;
}

/** Wraps a zod object. Unknown keys at its root are refused, so that a misspelt field is never silently dropped. */
export function inputSchema(schema: ObjectSchema): ToolSchema {
  const { def } = coreObject(schema)._zod;
  const strict = z.core.clone(coreObject(schema), { ...def, catchall: def.catchall ?? z.never() });
  return zodSchema(strict, "input");
}

/** Wraps a zod object that a handler's result must match; keys it does not name are dropped. */
export function outputSchema(schema: ObjectSchema): ToolSchema {
  return zodSchema(schema, "output");
}

function zodSchema(schema: ObjectSchema, io: "input" | "output"): ToolSchema {
  let json: JsonSchema | undefined;
  const full = () => toJsonSchema(coreObject(schema), io);
  let forWalk: JsonSchema | undefined;
  const walked = () => (forWalk ??= toJsonSchema(coreObject(schema), io, "any"));
  return {
    zod: schema,
    full,
    json: () => (json ??= slimJsonSchema(full())),
    check(value, pending = []) {
      const given = io === "input" ? withoutAbsentNulls(value, walked) : value;
      const parsed = z.core.safeParse(coreObject(schema), given);
      if (parsed.success) {
        const dropped = io === "input" ? droppedField(given, parsed.data) : undefined;
        if (dropped === undefined) return { ok: true, value: parsed.data };
        return { ok: false, message: `${dropped.join(".")}: unknown field; no field may have this name` };
      }
      const issues = parsed.error.issues.filter((issue) => !pending.some((at) => concerns(issue, at)));
      if (issues.length === 0) return { ok: true, value: given };
      return { ok: false, message: describeIssues(issues, schema) };
    },
  };
}

/** Whether an issue is about a value that is not known yet: the value's own, or of a union that holds the value. */
function concerns({ code, path }: z.core.$ZodIssue, pending: readonly string[]): boolean {
  const isOfUnion = code === "invalid_union" && path.every((part, at) => String(part) === pending[at]);
  return isOfUnion || pending.every((part, at) => String(path[at]) === part);
}

/**
 * Wraps a JSON Schema that comes from another server or a file. The validator is loaded at the first check; the value
 * passes through unchanged but for nulls that stand for absent fields (no defaults are filled in). While values are pending, only the names of its fields are checked.
 */
export function foreignSchema(schema: JsonSchema): ToolSchema {
  let json: JsonSchema | undefined;
  let compiling: Promise<Validate> | undefined;
  let validate: Validate | undefined;
  return {
    full: () => schema,
    json: () => (json ??= listable(schema)),
    check(value, pending = []) {
      const given = withoutAbsentNulls(value, () => schema);
      if (pending.length > 0) return checkFieldNames(schema, given);
      if (validate !== undefined) return validate(given);
      compiling ??= compile(schema);
      return compiling.then((compiled) => (validate = compiled)(given));
    },
  };
}

/** Some providers reject a whole list for one schema with a combinator at its root; calls are still checked against it. */
function listable({ anyOf: _any, oneOf: _one, allOf: _all, ...schema }: JsonSchema): JsonSchema {
  return slimJsonSchema({ ...schema, type: "object" });
}

/** Whether a value has the fields that the root of a schema requires, and no other where it admits none. */
function checkFieldNames({ properties, required, additionalProperties }: JsonSchema, value: unknown): Checked {
  if (!isObject(value)) return { ok: false, message: "args: expected object" };
  const known = isObject(properties) ? Object.keys(properties) : [];
  const missing = (Array.isArray(required) ? required.map(String) : []).filter((name) => !Object.hasOwn(value, name));
  const unknown = additionalProperties === false ? Object.keys(value).filter((name) => !known.includes(name)) : [];
  const problems = [
    ...missing.map((name) => `${name}: required`),
    ...unknown.map((name) => unknownField(name, name, [known])),
  ];
  return problems.length === 0
    ? { ok: true, value }
    : { ok: false, message: visibleText(problems.slice(0, 5).join("; ")) };
}

type Validate = (value: unknown) => Checked;

async function compile(schema: JsonSchema): Promise<Validate> {
  const { compileJsonSchema } = await import("./foreign/compile-json-schema.ts");
  return compileJsonSchema(schema);
}
