import { isObject, visibleJson, type JsonSchema } from "@toolpacks/core";

type Listable = { readonly schema: JsonSchema } | { readonly reason: string };

/** Validates an input schema for lists: an SDK's client rejects the whole list for one invalid schema. */
export function listableInput(schema: JsonSchema): Listable {
  const { properties = {}, required = [] } = schema as { properties?: unknown; required?: unknown };
  if (!isObject(properties)) return { reason: "its input schema has properties that are not an object" };
  const bad = Object.entries(properties).find(([, one]) => !isObject(one) && typeof one !== "boolean");
  if (bad !== undefined) {
    return { reason: `its input schema has a property ${visibleJson(bad[0].slice(0, 100))} that is not a schema` };
  }
  if (!Array.isArray(required) || required.some((one) => typeof one !== "string")) {
    return { reason: "its input schema has a required that is not a list of names" };
  }
  if (!Object.values(properties).some((one) => typeof one === "boolean")) return { schema };
  const asObjects = Object.entries(properties).map(([name, one]) => [name, schemaObject(one)]);
  return { schema: { ...schema, properties: Object.fromEntries(asObjects) as JsonSchema } };
}

/** The output schema for lists. Undefined when clients cannot read it. */
export function listableOutput(schema: JsonSchema): JsonSchema | undefined {
  const listable = listableInput(schema);
  return "schema" in listable && schema["type"] === "object" ? listable.schema : undefined;
}

/** `true` and `false` are schemas too. */
function schemaObject(schema: unknown): unknown {
  if (typeof schema !== "boolean") return schema;
  return schema ? {} : { not: {} };
}
