import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: unknown;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
}

/** Starts an MCP server over Streamable HTTP that has one tool, `weather`. */
export async function startHttpServer(call: (params: unknown) => string): Promise<HttpServer> {
  const results: Readonly<Record<string, (params: unknown) => object>> = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "weather", version: "1.0.0" },
    }),
    "tools/list": () => ({ tools: [{ name: "weather", inputSchema: { type: "object" } }] }),
    "tools/call": (params) => ({ content: [{ type: "text", text: call(params) }] }),
  };
  async function answer(message: IncomingMessage): Promise<Answer> {
    if (message.method !== "POST") return { status: 405 };
    const { id, method, params } = JSON.parse(await text(message)) as Request;
    if (id === undefined) return { status: 202 };
    const result = results[method]?.(params);
    const outcome = result === undefined ? { error: { code: -32_601, message: "unknown method" } } : { result };
    return { status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, ...outcome }) };
  }
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
