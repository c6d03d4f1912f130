import { fetchJson, type JsonResponse } from "@toolpacks/bounded-io";
import { isObject, ToolError } from "@toolpacks/core";
import type { ModelQuestion } from "./models.ts";
import { readAnswer } from "./read-answer.ts";

/** What is known of a request to a model, also after a failure. */
export interface Exchange {
  /** Whether the model may have used tokens: it was reached, and did not refuse the request by a status. */
  mayHaveUsed: boolean;
  /** The use that the endpoint claims, as it is in the response. */
  usage?: { readonly input: unknown; readonly output: unknown };
  text?: string;
  /** The value of `Retry-After` in a response with status 429 or 503. */
  retryAfter?: string | undefined;
}

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

const completionBounds = { maxBytes: 4 * 1024 * 1024, maxDepth: 32, maxValues: 10_000 };

/**
 * Asks the model of an endpoint once. Resolves to its text, or to an object that matches the schema.
 *
 * @param exchange gets the use that the endpoint claims, also if the question fails
 * @throws ToolError `unavailable` when the endpoint does not respond, or its response is invalid; `too_large`. It holds no text of the endpoint, which may
 *   repeat the key
 */
export async function askEndpoint(
  request: EndpointRequest,
  exchange: Exchange,
): Promise<Readonly<Record<string, unknown>>> {
  const endpoint = `the endpoint of model ${request.model}`;
  exchange.mayHaveUsed = true;
  const { ok, status, headers, value } = await post(request).catch((error: unknown) => {
    if (ToolError.is(error)) throw new ToolError(error.code, `${endpoint}: ${error.message}`, error.hint);
    if (isUnconnected(error)) exchange.mayHaveUsed = false;
    throw request.signal.aborted ? error : new ToolError("unavailable", `${endpoint} cannot be reached`);
  });
  if (!ok) {
    exchange.mayHaveUsed = false;
    if (status === 429 || status === 503) exchange.retryAfter = headers.get("retry-after") ?? undefined;
    throw new ToolError("unavailable", `${endpoint} answered ${status}`);
  }
  const { usage, text } = readCompletion(value);
  if (isObject(usage)) exchange.usage = { input: usage["prompt_tokens"], output: usage["completion_tokens"] };
  if (text === undefined)
    throw new ToolError("unavailable", `${endpoint} answered something that is not a chat completion`);
  exchange.text = text;
  return readAnswer(text, request.question.schema);
}

function post({ url, model, apiKey, question, maxOutputTokens, signal }: EndpointRequest): Promise<JsonResponse> {
  const { system, schema } = question;
  const body = {
    model,
    max_tokens: maxOutputTokens,
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      { role: "user", content: contentOf(question) },
    ],
    response_format: schema && {
      type: "json_schema",
      json_schema: { name: "response", strict: true, schema: schema.full() },
    },
  };
  const headers = {
    "content-type": "application/json",
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const init = { method: "POST", headers, body: JSON.stringify(body), signal };
  return fetchJson(`${url.replace(/\/+$/, "")}/chat/completions`, init, completionBounds);
}

function contentOf({ prompt, images = [] }: ModelQuestion) {
  if (images.length === 0) return prompt;
  const parts = images.map(({ data, mimeType }) => ({
    type: "image_url",
    image_url: { url: `data:${mimeType};base64,${data}` },
  }));
  return [{ type: "text", text: prompt }, ...parts];
}

/** The text of a completion's first choice, undefined for another value, and the use that it claims. */
function readCompletion(value: unknown): { readonly text: string | undefined; readonly usage: unknown } {
  const { choices, usage } = isObject(value) ? value : {};
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(choice) ? choice["message"] : undefined;
  const content = isObject(message) ? message["content"] : undefined;
  // A model that refuses has no content.
  return { text: content === null ? "" : typeof content === "string" ? content : undefined, usage };
}

/** Codes of errors before a connection, so that the request was not sent. */
const unconnected = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function isUnconnected(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && unconnected.has(String(cause.code))) return true;
  }
  return false;
}
