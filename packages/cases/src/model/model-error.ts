import { tooLargeResponse } from "@toolpacks/bounded-io";
import { AISDKError, APICallError, RetryError } from "ai";

/** The model could not be reached, or its response is invalid. The case has no result. */
export class ModelError extends Error {
  override readonly name = "ModelError";
}

/**
 * Converts an error of the SDK to a ModelError. The endpoint's own text may contain a key, so it is not repeated. Other errors are returned
 * unchanged.
 */
export function modelError(error: unknown, model: string): unknown {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  const tries = RetryError.isInstance(error) && error.errors.length > 1 ? ` (${error.errors.length} times)` : "";
  const tooLarge = tooLargeResponse(last);
  if (tooLarge !== undefined)
    return new ModelError(`the endpoint of model ${model} failed: ${tooLarge.message}${tries}`);
  if (APICallError.isInstance(last)) return new ModelError(`the endpoint of model ${model} ${reason(last)}${tries}`);
  if (AISDKError.isInstance(last)) return new ModelError(`the endpoint of model ${model} ${unreadable}${tries}`);
  return last;
}

const unreadable = "answered something that is not a chat completion";

const hints: Readonly<Record<number, string | undefined>> = {
  400: ": it does not accept the conversation or its tools",
  401: ": the profile's key is missing or wrong",
  403: ": the profile's key is not permitted to use it",
  404: ": the model or the address is wrong",
  429: ": too many requests",
};

function reason({ statusCode }: APICallError): string {
  if (statusCode === undefined) return "cannot be reached";
  return statusCode < 400 ? unreadable : `answered ${statusCode}${hints[statusCode] ?? ""}`;
}
