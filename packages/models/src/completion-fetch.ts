import { isObject, ToolError } from "@toolpacks/core";
import { fetchJson, parseBounded, type Fetch } from "@toolpacks/bounded-io";
import { textBounds } from "./parse-answer.ts";

interface CompletionFetchOptions {
  /** The name of the model, for errors. */
  readonly model: string;
  /** Whether the model's text is parsed as JSON later, whose limits then apply too. */
  readonly isJson: boolean;
  /** Gets what the response says beside its text. */
  readonly exchange: Exchange;
}

/** What is known of a request to an endpoint, also after a failure. */
export interface Exchange {
  /** Whether the endpoint may have used tokens: it was reached, and did not refuse the request by a status. */
  mayHaveUsed: boolean;
  /** The use that the endpoint claims, as it is in the response. */
  usage?: { readonly input: unknown; readonly output: unknown };
  /** The text that was received. */
  text?: string;
  /** The value of `Retry-After` in a response with status 429 or 503. */
  retryAfter?: string;
}

/** Maximum values in a completion. */
const completionBounds = { maxBytes: 4 * 1024 * 1024, maxDepth: 32, maxValues: 10_000 };

/** Creates the fetch function for chat completions. The SDK gets only the fields that are used. */
export function completionFetch({ model, isJson, exchange }: CompletionFetchOptions): Fetch {
  return async (input, init = {}) => {
    try {
      exchange.mayHaveUsed = true;
      const { ok, status, statusText, headers, value } = await fetchJson(addressOf(input), init, completionBounds);
      // The body of an error is not shown, so it is not read.
      if (!ok) return refused(new Response(null, { status, statusText }), headers, exchange);
      const picked = pickCompletion(value);
      const text = picked?.choices[0]?.message.content;
      readUse(value, exchange);
      if (typeof text === "string") {
        exchange.text = text;
        if (isJson) checkText(text);
      }
      return Response.json(picked ?? {});
    } catch (error) {
      if (!ToolError.is(error)) {
        if (isUnconnected(error)) exchange.mayHaveUsed = false;
        throw error;
      }
      const { code, message, hint } = error;
      throw new ToolError(code, `the endpoint of model ${model}: ${message}`, hint);
    }
  };
}

function addressOf(input: Parameters<Fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}

function refused(response: Response, headers: Headers, exchange: Exchange): Response {
  exchange.mayHaveUsed = false;
  const retryAfter = headers.get("retry-after");
  const isLimited = response.status === 429 || response.status === 503;
  if (isLimited && retryAfter !== null) exchange.retryAfter = retryAfter;
  return response;
}

function readUse(value: unknown, exchange: Exchange): void {
  const usage = isObject(value) ? value["usage"] : undefined;
  if (isObject(usage)) exchange.usage = { input: usage["prompt_tokens"], output: usage["completion_tokens"] };
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

/** The first choice of a completion. Undefined for another value. */
function pickCompletion(value: unknown) {
  const choices = isObject(value) ? value["choices"] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(choice) ? choice["message"] : undefined;
  if (!isObject(choice) || !isObject(message)) return undefined;
  const { content } = message;
  if (typeof content !== "string" && content !== null) return undefined;
  const reason = choice["finish_reason"];
  return {
    choices: [
      { message: { role: "assistant", content }, ...(typeof reason === "string" && { finish_reason: reason }) },
    ],
  };
}

/** The SDK rejects a text that is not JSON. */
function checkText(text: string): void {
  try {
    parseBounded(text, textBounds);
  } catch (error) {
    if (ToolError.is(error) && error.code === "too_large") throw error;
  }
}
