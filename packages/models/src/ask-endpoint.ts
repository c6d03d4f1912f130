import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolError } from "@toolpacks/core";
import { APICallError, generateText, jsonSchema, NoObjectGeneratedError, Output } from "ai";
import { completionFetch, type Exchange } from "./completion-fetch.ts";
import type { ModelQuestion } from "./models.ts";
import { checkAnswer } from "./parse-answer.ts";

export interface EndpointRequest {
  readonly url: string;
  /** The name of the model at the endpoint. */
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly question: ModelQuestion;
  /** Sent to the endpoint. Undefined: the endpoint decides. */
  readonly maxOutputTokens: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Asks the model of an endpoint once. Resolves to its text, or to an object that matches the schema.
 *
 * @param exchange gets the use that the endpoint claims, also if the question fails
 * @throws ToolError `unavailable` when the endpoint does not respond, or its response is invalid; `too_large`
 */
export async function askEndpoint(
  request: EndpointRequest,
  exchange: Exchange,
): Promise<Readonly<Record<string, unknown>>> {
  const { url, model, apiKey, question, maxOutputTokens, signal } = request;
  const { schema, system } = question;
  const provider = createOpenAICompatible({
    name: "endpoint",
    baseURL: url,
    fetch: completionFetch({ model, isJson: schema !== undefined, exchange }),
    supportsStructuredOutputs: true,
    ...(apiKey !== undefined && { apiKey }),
  });
  const asked = {
    model: provider(model),
    messages: [{ role: "user" as const, content: contentOf(question) }],
    maxRetries: 0,
    abortSignal: signal,
    maxOutputTokens,
    system,
  };
  try {
    if (schema === undefined) {
      const { text } = await generateText(asked);
      if (text.trim() === "") throw new ToolError("unavailable", "the model answered nothing");
      return { text };
    }
    const { output } = await generateText({
      ...asked,
      output: Output.object({ schema: jsonSchema<Record<string, unknown>>({ ...schema.json }) }),
    });
    return await checkAnswer(output, schema.schema);
  } catch (error) {
    throw toModelError(error, model);
  }
}

function contentOf({ prompt, images = [] }: ModelQuestion) {
  if (images.length === 0) return prompt;
  const files = images.map(({ data, mimeType }) => ({ type: "file" as const, data, mediaType: mimeType }));
  return [{ type: "text" as const, text: prompt }, ...files];
}

/** Error texts of an endpoint may hold a key, so they are not repeated. */
function toModelError(error: unknown, model: string): unknown {
  if (APICallError.isInstance(error)) {
    const { statusCode } = error;
    const answered = statusCode === 200 ? "answered something that is not a chat completion" : `answered ${statusCode}`;
    const what = statusCode === undefined ? "cannot be reached" : answered;
    return new ToolError("unavailable", `the endpoint of model ${model} ${what}`);
  }
  if (NoObjectGeneratedError.isInstance(error)) return new ToolError("unavailable", "the model's answer is not JSON");
  return error;
}
