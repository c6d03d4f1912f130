import { ToolError } from "@toolpacks/core";

/** Both SDKs answer with this JSON-RPC code when it is on an error. */
const codes: Partial<Record<ToolError["code"], number>> = { not_found: -32_002, invalid_input: -32_602 };

/** An answer whose `ToolError` becomes an error of the protocol, message and hint in one text. */
export async function protocolAnswer(answer: () => Promise<object>): Promise<object> {
  try {
    return await answer();
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    const text = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
    throw Object.assign(new Error(text), { code: codes[error.code] ?? -32_603 });
  }
}
