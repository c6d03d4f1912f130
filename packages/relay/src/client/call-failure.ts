import { ToolError, toCallToolResult, type CallToolResult } from "@toolpacks/core";

/** The result of a call whose arguments could not be resolved. Errors other than ToolError are passed to `onError` and shown as one generic line. */
export function callFailure(error: unknown, onError: (error: unknown) => void): CallToolResult {
  if (!ToolError.is(error)) onError(error);
  const { code, message, hint } = ToolError.is(error)
    ? error
    : new ToolError("internal", "the values that the arguments stand for could not be read");
  const failure = { code, message, hint };
  return toCallToolResult({ ok: false, failure }, "text");
}
