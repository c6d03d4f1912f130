import { isObject, ToolError, type ToolSchema } from "@toolpacks/core";

/** Bounds of a text that is parsed as JSON. */
export const textBounds = { maxDepth: 64, maxValues: 100_000 };

/** Checks the answer of a model. @throws ToolError `unavailable` when it does not match the schema */
export async function checkAnswer(answer: unknown, schema: ToolSchema): Promise<Readonly<Record<string, unknown>>> {
  if (!isObject(answer)) throw new ToolError("unavailable", "the model's answer is not an object");
  const result = await schema.check(answer);
  if (result.ok) return result.value as Record<string, unknown>;
  throw new ToolError("unavailable", `the model's answer does not match the schema: ${result.message}`);
}
