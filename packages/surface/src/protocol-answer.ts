import { ToolError } from "@toolpacks/core";

/** JSON-RPC error codes. Both SDKs send the `code` and the `data` of a thrown error. */
const codes: Partial<Record<ToolError["code"], number>> = { not_found: -32_002, invalid_input: -32_602 };

/** The codes that differ for a client of protocol 2026-07-28. */
const modernCodes: typeof codes = { not_found: -32_602 };

interface ErrorDetails {
  /** The second argument that the SDK passes to a request handler. It tells the client's protocol. */
  readonly raw?: unknown;
  /** Sent with the error. */
  readonly data?: object;
}

/** Turns a `ToolError` of `answer` into a protocol error. Its message holds the hint too. */
export async function protocolAnswer(answer: () => Promise<object>, details: ErrorDetails = {}): Promise<object> {
  try {
    return await answer();
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    const text = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
    const own = isModern(details.raw) ? { ...codes, ...modernCodes } : codes;
    const { data } = details;
    throw Object.assign(new Error(text), { code: own[error.code] ?? -32_603, ...(data && { data }) });
  }
}

/** Whether a request is of a client of protocol 2026-07-28. */
function isModern(raw: unknown): boolean {
  const { mcpReq } = (raw ?? {}) as { readonly mcpReq?: { readonly envelope?: object } };
  return mcpReq?.envelope !== undefined;
}
