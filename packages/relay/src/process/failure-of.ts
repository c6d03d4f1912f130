import { ToolError, toCallToolResult, type CallToolResult } from "@toolpacks/core";

/** What a model reads of a call that did not reach its tool. */
export function failureOf(error: unknown, { onError }: { readonly onError: (error: unknown) => void }): CallToolResult {
  if (!ToolError.is(error)) onError(error);
  const failure = ToolError.is(error) ? error : new ToolError("internal", "the call could not be passed on");
  const { code, message, hint } = failure;
  return toCallToolResult({ ok: false, failure: { code, message, ...(hint !== undefined && { hint }) } }, "text");
}
