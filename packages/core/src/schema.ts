import type { z } from "zod";
import { slimJsonSchema, toJsonSchema, type JsonSchema } from "./json-schema.ts";
import { droppedField } from "./dropped-key.ts";
import { describeIssues } from "./problems.ts";

/** Outcome of checking a value: the value as the handler gets it, or every wrong field in one message. */
export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** A schema as dispatch and the surfaces see it, whether it was written in zod or came as JSON Schema. */
export interface ToolSchema {
  /** The slim JSON Schema for lists. Made once, at first use. */
  json(): JsonSchema;
  /** The JSON Schema with every limit, for whoever asks about one tool. */
  full(): JsonSchema;
  check(value: unknown): Checked | Promise<Checked>;
  /** The zod schema it was made from, if it was. */
  readonly zod?: z.ZodObject;
}

/** Wraps a zod object. Unknown keys at its root are refused, so that a misspelt field is never silently dropped. */
export function inputSchema(schema: z.ZodObject): ToolSchema {
  const strict = schema.def.catchall === undefined ? schema.strict() : schema;
  return zodSchema(strict, "input");
}

/** Wraps a zod object that a handler's result must match; keys it does not name are dropped. */
export function outputSchema(schema: z.ZodObject): ToolSchema {
  return zodSchema(schema, "output");
}

function zodSchema(schema: z.ZodObject, io: "input" | "output"): ToolSchema {
  let json: JsonSchema | undefined;
  const full = () => toJsonSchema(schema, io);
  return {
    zod: schema,
    full,
    json: () => (json ??= slimJsonSchema(full())),
    check(value) {
      const parsed = schema.safeParse(value);
      if (parsed.success) {
        const dropped = io === "input" ? droppedField(value, parsed.data) : undefined;
        if (dropped === undefined) return { ok: true, value: parsed.data };
        return { ok: false, message: `${dropped.join(".")}: unknown field; no field may have this name` };
      }
      return { ok: false, message: describeIssues(parsed.error.issues, Object.keys(schema.shape)) };
    },
  };
}

/**
 * Wraps a JSON Schema that comes from another server or a file. The validator is loaded at the first check; the value
 * passes through unchanged (no defaults are filled in).
 */
export function foreignSchema(schema: JsonSchema): ToolSchema {
  let json: JsonSchema | undefined;
  let compiling: Promise<Validate> | undefined;
  let validate: Validate | undefined;
  return {
    full: () => schema,
    json: () => (json ??= listable(schema)),
    check(value) {
      if (validate !== undefined) return validate(value);
      compiling ??= compile(schema);
      return compiling.then((compiled) => (validate = compiled)(value));
    },
  };
}

/** Some providers reject a whole list for one schema with a combinator at its root; calls are still checked against it. */
function listable({ anyOf: _any, oneOf: _one, allOf: _all, ...schema }: JsonSchema): JsonSchema {
  return slimJsonSchema({ ...schema, type: "object" });
}

type Validate = (value: unknown) => Checked;

async function compile(schema: JsonSchema): Promise<Validate> {
  const { Validator } = await import("@cfworker/json-schema");
  const dialect = schema["$schema"];
  const draft = typeof dialect === "string" && dialect.includes("draft-07") ? "7" : "2020-12";
  const validator = new Validator(schema, draft, false);
  return (value) => {
    const result = validator.validate(value);
    if (result.valid) return { ok: true, value };
    // The validator reports each failure once per enclosing keyword; the innermost ones name the field.
    const leaves = result.errors.filter(
      (error) =>
        !result.errors.some(
          (other) => other !== error && other.instanceLocation.startsWith(`${error.instanceLocation}/`),
        ),
    );
    const lines = leaves.slice(0, 5).map((error) => {
      const field = error.instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
      return `${field === "" ? "args" : field}: ${error.error}`;
    });
    return { ok: false, message: lines.join("; ") };
  };
}
