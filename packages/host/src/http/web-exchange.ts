import type { IncomingMessage, ServerResponse } from "node:http";
import type { AuthInfo, McpHttpHandler } from "@modelcontextprotocol/server";
import { waitForDrain } from "@toolpacks/bounded-io";
import { linkResponse } from "./notification-pressure.ts";

/** A request whose body has been read, and where its response goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The parsed body. */
  readonly body: unknown;
  /** What the authenticator found. Undefined: the caller is the local user. */
  readonly auth: AuthInfo | undefined;
}

/** Headers with credentials. Tools do not see them. */
const credentialHeaders: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization"]);

/**
 * Answers a request with a handler of the SDK. Resolves when the response has been written or its client has left; a client that leaves aborts its call.
 *
 * The SDK has an adapter of its own, `toNodeHandler`. It writes the parsed body as JSON once more, and streams every response in chunks.
 */
export async function answerExchange(handler: Pick<McpHttpHandler, "fetch">, exchange: Exchange): Promise<void> {
  const { request, response, body, auth } = exchange;
  const abort = new AbortController();
  response.once("close", () => void (response.writableFinished || abort.abort()));
  const webRequest = toWebRequest(request, abort.signal);
  const unlink = linkResponse(webRequest, response);
  try {
    const answer = await handler.fetch(webRequest, { parsedBody: body, ...(auth && { authInfo: auth }) });
    await writeAnswer(answer, response);
  } finally {
    unlink();
  }
}

/** The request without its body, which the handler receives parsed. */
function toWebRequest({ url = "/", headers: received }: IncomingMessage, signal: AbortSignal): Request {
  const headers: [string, string][] = [];
  for (const [name, value] of Object.entries(received)) {
    if (value === undefined || credentialHeaders.has(name)) continue;
    headers.push([name, Array.isArray(value) ? value.join(", ") : value]);
  }
  return new Request(`http://${received.host ?? "localhost"}${url}`, { method: "POST", headers, signal });
}

async function writeAnswer(answer: Response, response: ServerResponse): Promise<void> {
  const { status, headers, body } = answer;
  response.statusCode = status;
  for (const [name, value] of headers) {
    // The SDK keeps the connections of streams. Node decides, because a client or a shutdown may close them.
    if (name !== "connection") response.setHeader(name, value);
  }
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    // Node sends a string together with the headers, and bytes after them.
    response.end(await answer.text());
    return;
  }
  response.flushHeaders();
  for await (const chunk of body) {
    if (response.destroyed) break;
    response.write(chunk);
    await waitForDrain(response);
  }
  response.end();
}
