import { createMcpHandler, Server, type AuthInfo } from "@modelcontextprotocol/server";
import { attach } from "./mount.ts";
import type { InteractiveCalls } from "./interactive-calls.ts";
import type { Surface } from "./surface.ts";

export type Message = Readonly<Record<string, unknown>>;

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** The fields of a tool call over HTTP. */
export interface HttpCall extends Message {
  readonly name: string;
  readonly arguments?: Message;
  readonly requestState?: unknown;
  readonly inputResponses?: Message;
}

export interface HttpCallOptions {
  /** The `sub` of the caller's token. Default: a caller without a token. */
  readonly sub?: string;
  readonly signal?: AbortSignal;
  /** Default: a client that can ask its user. */
  readonly capabilities?: Message;
}

/** An HTTP endpoint with a server per request. Calls it as a client of 2026, and resolves to the response. */
export function httpEndpoint(surface: Surface, interactiveCalls?: InteractiveCalls) {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "test", version: "1.0.0" });
    attach(server, surface, interactiveCalls && { interactiveCalls });
    return server;
  });
  return async (call: HttpCall, { sub, signal, capabilities }: HttpCallOptions = {}): Promise<Message> => {
    const _meta = {
      ...meta,
      ...(capabilities && { "io.modelcontextprotocol/clientCapabilities": capabilities }),
    };
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": call.name,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...call, _meta } }),
      ...(signal && { signal }),
    });
    const authInfo: AuthInfo = { token: "", clientId: "test", scopes: [], extra: { sub } };
    const response = await handler.fetch(request, sub === undefined ? {} : { authInfo });
    return (await response.json()) as Message;
  };
}
