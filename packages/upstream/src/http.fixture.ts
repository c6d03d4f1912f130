import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { McpServer as FirstServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer, type McpHttpHandler } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import { z } from "zod";

export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** An HTTP server, and the requests that it got. */
export interface Site {
  readonly url: string;
  readonly seen: { readonly method: string; readonly headers: IncomingMessage["headers"] }[];
}

/** Serves HTTP on a loopback port until the test ends. */
export async function serve(handle: Handle, path = "/mcp"): Promise<Site> {
  const seen: Site["seen"] = [];
  const server: HttpServer = createServer((request, response) => {
    seen.push({ method: request.method ?? "", headers: request.headers });
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, seen };
}

const input = { text: z.string().optional() };
const answer = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

/** A server of SDK 2.x: the 2026 protocol, and earlier protocols without sessions. */
export function modernSite(): Handle {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "modern", version: "2" });
    server.registerTool("say", { description: "Say it.", inputSchema: z.object(input) }, async ({ text: words }) =>
      answer(`modern ${words}`),
    );
    server.registerTool("much", { description: "Say much.", inputSchema: z.object({}) }, async () =>
      answer("x".repeat(2_000_000)),
    );
    server.registerTool(
      "hang",
      { description: "Never answer.", inputSchema: z.object({}) },
      () => new Promise(() => {}),
    );
    return server;
  });
  return serveHandler(handler);
}

/** A handler of SDK 2.x for Node's HTTP server. */
export function serveHandler(handler: McpHttpHandler): Handle {
  return async (request, response) => {
    const body = await text(request);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const reply = await handler.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method ?? "GET",
        headers,
        ...(body !== "" && { body }),
      }),
    );
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    for await (const chunk of reply.body ?? []) response.write(chunk);
    response.end();
  };
}

function firstServer(): FirstServer {
  const server = new FirstServer({ name: "first", version: "1" });
  server.registerTool("say", { description: "Say it.", inputSchema: input }, async ({ text: words }) =>
    answer(`first ${words}`),
  );
  return server;
}

/** A server of SDK 1.x with sessions. `forget` drops the sessions, as a restart does. */
export function sessionSite(): { handle: Handle; forget: () => void } {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  return {
    forget: () => sessions.clear(),
    async handle(request, response) {
      const id = request.headers["mcp-session-id"];
      const known = typeof id === "string" ? sessions.get(id) : undefined;
      if (id !== undefined && known === undefined) return void response.writeHead(404).end();
      if (known !== undefined) return known.handleRequest(request, response);
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, transport),
      });
      await firstServer().connect(transport);
      await transport.handleRequest(request, response);
    },
  };
}

/** A server of the SSE transport: one stream of responses, and POST requests. `forget` drops the sessions. */
export function sseSite(): { handle: Handle; forget: () => void } {
  const transports = new Map<string, SSEServerTransport>();
  return {
    forget: () => transports.clear(),
    async handle(request, response) {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
      if (request.method === "GET" && pathname === "/sse") {
        const transport = new SSEServerTransport("/messages", response);
        transports.set(transport.sessionId, transport);
        return firstServer().connect(transport);
      }
      if (request.method !== "POST" || pathname === "/sse") return void response.writeHead(405).end();
      const transport = transports.get(searchParams.get("sessionId") ?? "");
      if (transport === undefined) return void response.writeHead(404).end();
      await transport.handlePostMessage(request, response);
    },
  };
}
