import { isObject, ToolError } from "@toolpacks/core";
import { fetchJson, parseBounded, type Fetch } from "@toolpacks/core/bounded-io";

interface CompletionFetchOptions {
  /** The name of the model, for errors. */
  readonly model: string;
  /** Whether the model's text is parsed as JSON later, whose limits then apply too. */
  readonly isJson: boolean;
}

/** Maximum values in a completion. */
const completionBounds = { maxBytes: 4 * 1024 * 1024, maxDepth: 32, maxValues: 10_000 };
const textBounds = { maxDepth: 64, maxValues: 100_000 };

/** Creates the fetch function for chat completions. The SDK gets only the fields that are used. */
export function completionFetch({ model, isJson }: CompletionFetchOptions): Fetch {
  return async (input, init = {}) => {
    try {
      const { ok, status, statusText, value } = await fetchJson(addressOf(input), init, completionBounds);
      // The body of an error is not shown, so it is not read.
      if (!ok) return new Response(null, { status, statusText });
      const picked = pickCompletion(value);
      const text = picked?.choices[0]?.message.content;
      if (isJson && typeof text === "string") checkText(text);
      return Response.json(picked ?? {});
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      const { code, message, hint } = error;
      throw new ToolError(code, `the endpoint of model ${model}: ${message}`, hint);
    }
  };
}

function addressOf(input: Parameters<Fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
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
    parseBounded(Buffer.from(text), textBounds);
  } catch (error) {
    if (ToolError.is(error) && error.code === "too_large") throw error;
  }
}
