import { isObject, type CallToolResult, type Failure, type JsonSchema, type Tool } from "@toolpacks/core";
import { branchesOf, typesOf } from "@toolpacks/schema";
import type { PackConnection } from "../connection.ts";
import { propertiesOf } from "../schema-walk.ts";
import { failureLeaks } from "./leaks.ts";

type Arguments = Readonly<Record<string, unknown>>;

interface WrongCall {
  readonly what: string;
  readonly args: Arguments;
  /** The field that the message must name. */
  readonly field: string;
}

const unknownFieldName = "unheard_of_field";

const samples: Readonly<Record<string, unknown>> = {
  object: { [unknownFieldName]: true },
  integer: 7,
  boolean: true,
  array: [],
  string: "text",
};

/** Calls that a tool must refuse: a field it does not have, each field with a wrong type, each required one missing. */
export function wrongCalls(tool: Tool, args: Arguments): readonly WrongCall[] {
  const schema = tool.input.json();
  const calls: WrongCall[] = [];
  if (tool.input.zod !== undefined) {
    calls.push({ what: "an unknown field", args: { ...args, [unknownFieldName]: 1 }, field: unknownFieldName });
    for (const [field, property] of propertiesOf(schema)) {
      for (const value of withUnknownField(args[field], property)) {
        calls.push({
          what: `an unknown field in ${field}`,
          args: { ...args, [field]: value },
          field: unknownFieldName,
        });
      }
    }
  }
  for (const [field, property] of propertiesOf(schema)) {
    const wrong = wrongSample(branchesOf(schema, [property]));
    if (wrong !== undefined) calls.push({ what: `a wrong type in ${field}`, args: { ...args, [field]: wrong }, field });
  }
  const required = schema["required"];
  for (const field of Array.isArray(required) ? required.map(String) : []) {
    const { [field]: _, ...rest } = args;
    calls.push({ what: `no ${field}`, args: rest, field });
  }
  return calls;
}

/** Copies of a value, each with an unknown field in another object. */
function withUnknownField(value: unknown, schema: JsonSchema): readonly unknown[] {
  const { items } = schema;
  if (Array.isArray(value)) {
    if (!isObject(items)) return [];
    return value.flatMap((item, at) => withUnknownField(item, items).map((changed) => value.with(at, changed)));
  }
  const properties = propertiesOf(schema);
  if (!isObject(value) || properties.length === 0) return [];
  const inside = properties.flatMap(([name, child]) =>
    withUnknownField(value[name], child).map((changed) => ({ ...value, [name]: changed })),
  );
  return [{ ...value, [unknownFieldName]: 1 }, ...inside];
}

/** A value of a type that none of the schemas of a field accepts. Undefined if one of them accepts any type. */
function wrongSample(branches: readonly JsonSchema[]): unknown {
  const forms = branches.filter((one) => !compositions.some((keyword) => keyword in one)).map(typesOf);
  if (forms.some((types) => types.length === 0)) return undefined;
  const types = forms.flat();
  const admitted = new Set(types.includes("number") ? [...types, "integer"] : types);
  const wrong = Object.keys(samples).find((type) => !admitted.has(type));
  return wrong === undefined ? undefined : samples[wrong];
}

const compositions = ["anyOf", "oneOf", "allOf", "$ref"] as const;

/** Checks that wrong arguments fail with `invalid_input`, name the field, and reveal no internals. */
export async function invalidArgumentProblems(
  connection: PackConnection,
  tool: Tool,
  args: Arguments,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const wrong of wrongCalls(tool, args)) {
    const result = await connection.callTool(tool.name, wrong.args);
    const failure = failureOf(result);
    if (failure?.code !== "invalid_input") {
      problems.push(`${tool.name}: ${wrong.what}: expected invalid_input, answered ${failure?.code ?? "a result"}`);
    } else if (!failure.message.includes(wrong.field)) {
      problems.push(`${tool.name}: ${wrong.what}: the message does not name ${wrong.field}: ${failure.message}`);
    } else {
      problems.push(...failureLeaks(failure).map((leak) => `${tool.name}: ${wrong.what}: ${leak}`));
    }
  }
  return problems;
}

/** The failure that an error result carries for programs. */
export function failureOf(result: CallToolResult): Failure | undefined {
  if (result.isError !== true) return undefined;
  const meta = result["_meta"] as { readonly "toolpacks/error"?: Failure } | undefined;
  return meta?.["toolpacks/error"];
}
