import { ToolError, toCallToolResult, type CallToolResult } from "@toolpacks/core";

/** What a model reads of a call that did not reach its tool. What is no ToolError is told to `onError` whole, and to the model as one line. */
export function failureOf(error: unknown, onError: (error: unknown) => void): CallToolResult {
  if (!ToolError.is(error)) onError(error);
  const { code, message, hint } = ToolError.is(error)
    ? error
    : new ToolError("internal", "the values that the arguments stand for could not be read");
  const failure = { code, message, ...(hint !== undefined && { hint }) };
  return toCallToolResult({ ok: false, failure }, "text");
}
