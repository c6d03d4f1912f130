import { closest, foreignSchema, isObject, ToolError } from "@toolpacks/core";
import type { Wait } from "../report/wait.ts";

const maxTextLength = 100_000;

/**
 * Validates the answer to a question. A text is parsed where the question expects an object.
 *
 * @returns the result of the step: the object, or `{answer}`
 * @throws ToolError `invalid_input` naming the field
 */
export async function checkAnswer(wait: Pick<Wait, "choices" | "schema">, given: unknown): Promise<unknown> {
  const { choices, schema } = wait;
  if (schema === undefined) return { answer: checkText(given, choices) };
  const value = typeof given === "string" ? parseObject(given) : given;
  if (!isObject(value)) throw wrong(`answer: expected an object, received ${typeName(given)}`, schema);
  const checked = await foreignSchema(schema).check(value);
  if (checked.ok) return checked.value;
  throw wrong(checked.message.replaceAll(/(^|; )(?=\w)/g, "$1answer."), schema);
}

function checkText(given: unknown, choices: readonly string[] | undefined): string {
  const text = typeof given === "number" || typeof given === "boolean" ? String(given) : given;
  if (typeof text !== "string")
    throw new ToolError("invalid_input", `answer: expected a text, received ${typeName(given)}`);
  if (choices === undefined) {
    if (text.length <= maxTextLength) return text;
    throw new ToolError("invalid_input", `answer: expected at most ${maxTextLength} characters`);
  }
  if (choices.includes(text)) return text;
  const near = closest(text, choices);
  throw new ToolError(
    "invalid_input",
    `answer: expected one of ${choices.join(", ")}, received ${JSON.stringify(text.slice(0, 80))}${near === undefined ? "" : `; did you mean ${near}?`}`,
  );
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function wrong(message: string, schema: Readonly<Record<string, unknown>>): ToolError {
  return new ToolError("invalid_input", message, `The answer: ${JSON.stringify(schema)}`.slice(0, 1_000));
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
