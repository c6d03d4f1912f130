import { SdkError, SdkErrorCode, SdkHttpError, SSEClientTransport, type Client } from "@modelcontextprotocol/client";
import { causes } from "./failure.ts";

/** What Node and its `fetch` call an error of the system's, of a socket or of a pipe. */
const systemError = /^(E[A-Z0-9_]+|UND_ERR_\w+)$/;

/** Whether the way to a server is gone, and not one call's answer alone. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof SdkError) {
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected;
  }
  return causes(error).some((one) => systemError.test(String((one as { code?: unknown } | undefined)?.code)));
}

/** Whether a server that kept a session knows it no more, and so has not begun with the call. */
export function isSessionLost(error: unknown, { transport }: Client): boolean {
  const [status, text] = httpError(error);
  if (transport?.sessionId === undefined && !(transport instanceof SSEClientTransport)) return false;
  // The protocol says 404. Many servers, such as those of its own examples, say 400.
  return status === 404 || (status === 400 && /\bsession/i.test(text));
}

/** The SDK gives the status of the older transport in its words alone. */
function httpError(error: unknown): readonly [status: number | undefined, text: string] {
  if (!(error instanceof Error)) return [undefined, ""];
  const { message } = error;
  if (error instanceof SdkHttpError) return [error.status, message];
  const [, status] = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(message) ?? [];
  return [Number(status), message];
}
