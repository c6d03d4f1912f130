import { ToolError } from "@toolpacks/core";

/** JSON-RPC error codes. Both SDKs send the `code` of a thrown error. */
const codes: Partial<Record<ToolError["code"], number>> = { not_found: -32_002, invalid_input: -32_602 };

/** Turns a `ToolError` of `answer` into a protocol error. Its message holds the hint too. */
export async function protocolAnswer(answer: () => Promise<object>): Promise<object> {
  try {
    return await answer();
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    const text = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
    throw Object.assign(new Error(text), { code: codes[error.code] ?? -32_603 });
  }
}
