import { SdkError, SdkErrorCode, SdkHttpError, SSEClientTransport, type Client } from "@modelcontextprotocol/client";
import { causes } from "./failure.ts";

/** System, socket and pipe errors of Node and its `fetch`. */
const systemError = /^(E[A-Z0-9_]+|UND_ERR_\w+)$/;

/** Whether the connection is lost, not only one response. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof SdkError) {
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected;
  }
  return causes(error).some((one) => systemError.test(String((one as { code?: unknown } | undefined)?.code)));
}

/** Whether the server has forgotten the session, and so has not started the call. */
export function isSessionLost(error: unknown, { transport }: Client): boolean {
  const [status, text] = httpError(error);
  if (transport?.sessionId === undefined && !(transport instanceof SSEClientTransport)) return false;
  // The protocol says 404. Many servers, such as those of its examples, send 400.
  return status === 404 || (status === 400 && /\bsession/i.test(text));
}

/** For the older transport, the SDK has the status only in the message. */
function httpError(error: unknown): readonly [status: number | undefined, text: string] {
  if (!(error instanceof Error)) return [undefined, ""];
  const { message } = error;
  if (error instanceof SdkHttpError) return [error.status, message];
  const [, status] = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(message) ?? [];
  return [Number(status), message];
}
