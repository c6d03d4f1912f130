import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolError } from "@toolpacks/core";
import { APICallError, generateText, jsonSchema, NoObjectGeneratedError, Output } from "ai";
import type { JsonSchema, ToolSchema } from "@toolpacks/core";
import { completionFetch } from "./completion-fetch.ts";

interface Question {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly prompt: string;
  readonly system: string | undefined;
  readonly schema: { readonly json: JsonSchema; readonly schema: ToolSchema } | undefined;
  readonly signal: AbortSignal;
}

/**
 * Asks a model once. Resolves to its text, or to an object that matches the schema.
 *
 * @throws ToolError `unavailable` when the endpoint does not respond, or its response is invalid
 */
export async function askModel(question: Question): Promise<Record<string, unknown>> {
  const { url, model, apiKey, prompt, system, schema, signal } = question;
  const provider = createOpenAICompatible({
    name: "endpoint",
    baseURL: url,
    fetch: completionFetch({ model, isJson: schema !== undefined }),
    supportsStructuredOutputs: true,
    ...(apiKey !== undefined && { apiKey }),
  });
  const asked = {
    model: provider(model),
    prompt,
    maxRetries: 0,
    abortSignal: signal,
    ...(system !== undefined && { system }),
  };
  try {
    if (schema === undefined) return { text: (await generateText(asked)).text };
    const { output } = await generateText({
      ...asked,
      output: Output.object({ schema: jsonSchema<Record<string, unknown>>({ ...schema.json }) }),
    });
    return await checked(output, schema.schema);
  } catch (error) {
    throw toModelError(error, model);
  }
}

async function checked(output: unknown, schema: ToolSchema): Promise<Record<string, unknown>> {
  const result = await schema.check(output);
  if (result.ok) return result.value as Record<string, unknown>;
  throw new ToolError("unavailable", `the model's answer does not match the schema: ${result.message}`);
}

/** Error texts of an endpoint may hold a key, so they are not repeated. */
function toModelError(error: unknown, model: string): unknown {
  if (APICallError.isInstance(error)) {
    const { statusCode } = error;
    const answered = statusCode === 200 ? "answered something that is not a chat completion" : `answered ${statusCode}`;
    const what = statusCode === undefined ? "cannot be reached" : answered;
    return new ToolError("unavailable", `the endpoint of model ${model} ${what}`);
  }
  if (NoObjectGeneratedError.isInstance(error)) {
    return new ToolError("unavailable", "the model's answer is not JSON");
  }
  return error;
}
