import { isObject, visibleJson, type JsonSchema } from "@toolpacks/core";

type Listable = { readonly schema: JsonSchema } | { readonly reason: string };

/** An input schema as every client can read it in a list: an SDK's client refuses the whole list for one that is not so. */
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

/** The same for an output schema, which nothing here is checked by: one that clients cannot read is not listed. */
export function listableOutput(schema: JsonSchema): JsonSchema | undefined {
  const listable = listableInput(schema);
  return "schema" in listable && schema["type"] === "object" ? listable.schema : undefined;
}

/** `true` and `false` are schemas, too. */
function schemaObject(schema: unknown): unknown {
  if (typeof schema !== "boolean") return schema;
  return schema ? {} : { not: {} };
}
