import { todayText, type Kind } from "@toolpacks/core";
import { fieldLines } from "./describe.ts";

/**
 * Describes a kind as compact text for callers that put and query its records.
 *
 * @param withSchema whether to add its JSON Schema
 */
export async function renderKind(kind: Kind, withSchema = false): Promise<string> {
  const { describeKind } = await import("@toolpacks/store");
  const { schema, indexed } = describeKind(kind);
  const example = kind.examples[0];
  return [
    `kind ${kind.name}: ${kind.description}`,
    ...fieldLines(schema, "  "),
    `filter and sort by: ${["id", ...indexed.map(({ path, type }) => `${path} (${type})`)].join(", ")}`,
    ...(kind.sealed ? ["only its own tools write it"] : []),
    ...(kind.text.length === 0 ? [] : [`text searches: ${kind.text.join(", ")}`]),
    ...(example === undefined ? [] : [`example: ${JSON.stringify({ kind: kind.name, record: example })}`]),
    ...(kind.recurring === undefined ? [] : [todayText()]),
    ...(withSchema ? [`record schema: ${JSON.stringify(schema)}`] : []),
  ].join("\n");
}
