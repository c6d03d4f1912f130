import { isObject } from "./is-object.ts";
import { slimJsonSchema, type JsonSchema } from "./json-schema.ts";
import { visibleText } from "./quote-name.ts";
import { withoutAbsentNulls, type CheckResult, type ToolSchema } from "./schema.ts";
import { unknownField } from "./unknown-field.ts";

/**
 * Wraps a JSON Schema from another server or a file. The validator is loaded at the first check. A check removes nulls of absent fields from the
 * value, and fills in no defaults. If a value is pending, only the field names are checked.
 */
export function foreignSchema(schema: JsonSchema): ToolSchema {
  let json: JsonSchema | undefined;
  let compiling: Promise<Validate> | undefined;
  let validate: Validate | undefined;
  return {
    full: () => schema,
    json: () => (json ??= listable(schema)),
    check(value, pending = []) {
      const cleaned = withoutAbsentNulls(value, () => schema);
      if (pending.length > 0) return checkFieldNames(schema, cleaned);
      if (validate !== undefined) return validate(cleaned);
      compiling ??= compile(schema);
      return compiling.then((compiled) => (validate = compiled)(cleaned));
    },
  };
}

/** The schema without combinators at its root, because some providers reject the whole list for them. Calls are checked with the full schema. */
function listable({ anyOf: _any, oneOf: _one, allOf: _all, ...schema }: JsonSchema): JsonSchema {
  return slimJsonSchema({ ...schema, type: "object" });
}

/** Checks that a value has the required fields at its root, and no unknown field if the schema allows none. */
function checkFieldNames({ properties, required, additionalProperties }: JsonSchema, value: unknown): CheckResult {
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

type Validate = (value: unknown) => CheckResult;

async function compile(schema: JsonSchema): Promise<Validate> {
  const { compileJsonSchema } = await import("./foreign/compile-json-schema.ts");
  return compileJsonSchema(schema);
}
