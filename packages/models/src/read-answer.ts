import { parseBounded } from "@toolpacks/bounded-io";
import { isObject, ToolError } from "@toolpacks/core";
import type { ModelQuestion } from "./models.ts";

const textBounds = { maxDepth: 64, maxValues: 100_000 };

/**
 * The value of a model's text: `{ text }`, or the object of the schema.
 *
 * @throws ToolError `unavailable` when it is empty or does not match the schema; `too_large`
 */
export async function readAnswer(
  text: string,
  schema: ModelQuestion["schema"],
): Promise<Readonly<Record<string, unknown>>> {
  if (schema === undefined) {
    if (text.trim() === "") throw new ToolError("unavailable", "the model answered nothing");
    return { text };
  }
  const answer = parseJson(text);
  if (!isObject(answer)) throw new ToolError("unavailable", "the model's answer is not an object");
  const result = await schema.check(answer);
  if (result.ok) return result.value as Record<string, unknown>;
  throw new ToolError("unavailable", `the model's answer does not match the schema: ${result.message}`);
}

/** Models often write JSON as a code block. */
function parseJson(text: string): unknown {
  const json = /^\s*```(?:json)?\s*\n([^]*?)\n```\s*$/.exec(text)?.[1] ?? text;
  try {
    return parseBounded(json, textBounds);
  } catch (error) {
    if (ToolError.is(error) && error.code === "too_large") throw error;
    throw new ToolError("unavailable", "the model's answer is not JSON");
  }
}
